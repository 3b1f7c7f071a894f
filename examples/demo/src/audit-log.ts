import type { Writable } from 'node:stream';
import type { SecurityEvent, SecurityEvents } from '@latchhook/core';

/** What may wait for a stream that does not keep up, characters. Beyond it lines are lost, and counted. */
const MAX_WAITING_CHARS = 1_048_576;
/** How deep chains of causes are told. */
const MAX_CAUSES = 5;

/**
 * Writes each security event as one line of JSON. Answers what ends that; the stream stays open. Copy it.
 *
 * Never throws, whatever becomes of the stream: a log must not end the app that it watches. Where lines were lost,
 * the next one that is written says how many: `{"type":"audit.lost","count":3}`.
 *
 * Security: events hold no secret. What clients have chosen, such as `username`, is in the lines, but no control
 * character is: nothing that is typed into a form can begin a line of its own, or move the cursor of whoever
 * reads them in a terminal.
 */
export function writeAuditLog(events: SecurityEvents, stream: Writable): () => void {
  let lost = 0;
  // A stream that fails without a listener would end the process.
  stream.once('error', (error) => console.error(`audit log: ${error.message}`));
  stream.on('error', () => {});

  return events.subscribe(({ atMs, ...event }) => {
    const gap = lost === 0 ? '' : auditLine(atMs, { type: 'audit.lost', count: lost });
    const text = gap + auditLine(atMs, shown(event));
    if (!stream.writable || stream.writableLength + text.length > MAX_WAITING_CHARS) {
      lost += 1;
      return;
    }
    lost = 0;
    stream.write(text);
  });
}

/** One line, with the time as people read it. */
function auditLine(atMs: number, fields: object): string {
  const text = JSON.stringify({ at: new Date(atMs).toISOString(), ...fields });
  return `${text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)}\n`;
}

/** JSON escapes what is below U+0020 alone; terminals know more, and right-to-left marks reorder what is read. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');
}

/** JSON makes `{}` of an error. */
function shown(event: SecurityEvent): object {
  return event.type === 'fault' ? { ...event, error: errorText(event.error) } : event;
}

function errorText(error: unknown, causes: number = MAX_CAUSES): string {
  if (!(error instanceof Error)) return typeof error;
  const own = `${error.name}: ${error.message}`;
  if (error.cause === undefined || causes === 0) return own;
  return `${own}, because of ${errorText(error.cause, causes - 1)}`;
}
