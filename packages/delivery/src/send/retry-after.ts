/** Who says "in a month" gets the longest step of the schedule, not the end of the delivery. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

const DELTA_SECONDS = /^\d+$/;
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads `Retry-After` (RFC 9110 10.2.3) as milliseconds from now, at most a day. A date that is past is 0.
 *
 * @param sentAtMs what the receiver's clock said when it answered
 * @returns `null` for what is neither number nor date: a malformed header must not cost a delivery
 */
export function retryAfterMs(value: string, sentAtMs: number): number | null {
  if (DELTA_SECONDS.test(value)) return Math.min(Number(value) * 1000, MAX_RETRY_AFTER_MS);
  const atMs = httpDateMs(value);
  if (atMs === null) return null;
  return Math.min(Math.max(atMs - sentAtMs, 0), MAX_RETRY_AFTER_MS);
}

/** The time of an HTTP-date in the one format that may still be sent (RFC 9110 5.6.7). */
export function httpDateMs(value: string): number | null {
  if (!HTTP_DATE.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}
