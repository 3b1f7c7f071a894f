import { ATTEMPTS_KEPT } from '@latchhook/core/storage';

/**
 * An expression for the last attempts of a delivery `d` with one attempt appended. An attempt is a JSON array of its
 * number, start time, status, duration and error, without field names, so that the row stays within its page.
 *
 * The slice keeps the last `ATTEMPTS_KEPT - 1` of `n` attempts: those from index `n - (ATTEMPTS_KEPT - 2)` on.
 */
export function withAttempt(attempt: string): string {
  return `array_append(d.attempts[greatest(1, cardinality(d.attempts) - ${ATTEMPTS_KEPT - 2}):], ${attempt})`;
}
