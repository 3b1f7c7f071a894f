import * as v from 'valibot';

/*
 * Schemas for the fields of responses.
 */

export const wholeNumber = v.pipe(v.number(), v.integer());

/** A time, as {@link timeText} writes it. */
export const time = v.pipe(v.string(), v.isoTimestamp());

/** ISO 8601 in UTC. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
