import type { Writable } from 'node:stream';
import type { SecurityEvent, SecurityEvents } from '@latchhook/core';

/** How many characters may wait for a slow stream. Beyond that, lines are lost, and counted. */
const MAX_WAITING_CHARS = 1_048_576;
/** How many causes of an error are written. */
const MAX_CAUSES = 5;

/**
 * Writes each security event as one line of JSON. Returns a function that ends this; the stream stays open. Copy it.
 *
 * Never throws, even if the stream fails: a log must not end the app that it watches. After lines were lost, the next
 * one that is written says how many: `{"type":"audit.lost","count":3}`.
 *
 * Security: events hold no secrets. The lines contain what clients have chosen, such as `username`, but no control
 * characters: nothing that is typed into a form can begin its own line, or move the cursor in a terminal.
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

/** One line, with a readable time. */
function auditLine(atMs: number, fields: object): string {
  const text = JSON.stringify({ at: new Date(atMs).toISOString(), ...fields });
  return `${text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)}\n`;
}

/** JSON only escapes what is below U+0020; terminals obey more, and right-to-left marks reorder what is shown. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');
}

/** Makes an error readable, as JSON would make it `{}`. */
function shown(event: SecurityEvent): object {
  return event.type === 'fault' ? { ...event, error: errorText(event.error) } : event;
}

function errorText(error: unknown, causes: number = MAX_CAUSES): string {
  if (!(error instanceof Error)) return typeof error;
  const own = `${error.name}: ${error.message}`;
  if (error.cause === undefined || causes === 0) return own;
  return `${own}, because of ${errorText(error.cause, causes - 1)}`;
}
