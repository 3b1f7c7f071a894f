import type { Writable } from 'node:stream';
import type { SecurityEvent, SecurityEvents } from '@latchhook/core';

/** How many characters are buffered for a slow stream. Further lines are dropped, and counted. */
const MAX_BUFFERED_CHARS = 1_048_576;
/** How many nested causes of an error are written. */
const MAX_CAUSES = 5;

/**
 * Writes each security event as one line of JSON. Returns a function that ends the subscription; the stream stays open.
 * Copy this function into your app.
 *
 * Never throws, even if the stream fails, because a log must not end its app. If lines were dropped, the next line says
 * how many: `{"type":"audit.lost","count":3}`.
 *
 * Security: events contain no secrets. The lines contain input of clients, such as `username`, but no control
 * characters: input can neither begin a line, nor move the cursor in a terminal.
 */
export function writeAuditLog(events: SecurityEvents, stream: Writable): () => void {
  let droppedLines = 0;
  // Prints only the first error; without a listener, any later one would end the process.
  stream.once('error', (error) => console.error(`audit log: ${error.message}`));
  stream.on('error', () => {});

  return events.subscribe(({ atMs, ...event }) => {
    const dropNotice =
      droppedLines === 0 ? '' : auditLine(atMs, { type: 'audit.lost', count: droppedLines });
    const text = dropNotice + auditLine(atMs, withErrorText(event));
    if (!stream.writable || stream.writableLength + text.length > MAX_BUFFERED_CHARS) {
      droppedLines += 1;
      return;
    }
    droppedLines = 0;
    stream.write(text);
  });
}

/** One line of the log, with the time in ISO 8601. */
function auditLine(atMs: number, fields: object): string {
  const text = JSON.stringify({ at: new Date(atMs).toISOString(), ...fields });
  return `${text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter)}\n`;
}

/** JSON escapes only characters below U+0020. Terminals obey others too, and right-to-left marks reorder a line. */
function escapeCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');
}

/** Replaces the error of a fault by text, as JSON would write an error as `{}`. */
function withErrorText(event: SecurityEvent): object {
  return event.type === 'fault' ? { ...event, error: errorText(event.error) } : event;
}

function errorText(error: unknown, maxCauses: number = MAX_CAUSES): string {
  if (!(error instanceof Error)) return typeof error;
  const text = `${error.name}: ${error.message}`;
  if (error.cause === undefined || maxCauses === 0) return text;
  return `${text}, because of ${errorText(error.cause, maxCauses - 1)}`;
}
