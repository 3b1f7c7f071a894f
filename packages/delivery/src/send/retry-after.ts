import { LONGEST_RETRY_DELAY_MS } from '../retry-schedule.ts';

/** A longer `Retry-After` is cut to the longest delay of the schedule; it does not make the delivery fail. */
const MAX_RETRY_AFTER_MS = LONGEST_RETRY_DELAY_MS;

const DELTA_SECONDS = /^\d+$/;
/** IMF-fixdate, and the two obsolete formats that a recipient must accept (RFC 9110 5.6.7): RFC 850 and asctime. */
const HTTP_DATES = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];
/** A two-digit year from this on is in the 1900s; below it, in the 2000s. */
const FIRST_YEAR_OF_1900S = 70;

/**
 * Reads `Retry-After` (RFC 9110 10.2.3) as milliseconds from now, at most a day. A date that is past is 0.
 *
 * @param sentAtMs - when the receiver responded: its header `Date`, or else the time of this process
 * @returns `null` for a value that is neither a number nor a date: a malformed header must not fail a delivery
 */
export function retryAfterMs(value: string, sentAtMs: number): number | null {
  if (DELTA_SECONDS.test(value)) return Math.min(Number(value) * 1000, MAX_RETRY_AFTER_MS);
  const atMs = httpDateMs(value);
  if (atMs === null) return null;
  return Math.min(Math.max(atMs - sentAtMs, 0), MAX_RETRY_AFTER_MS);
}

/** Parses an HTTP-date; `null` if it is malformed. */
export function httpDateMs(value: string): number | null {
  for (const format of HTTP_DATES) {
    const { day, month, year, time } = format.exec(value)?.groups ?? {};
    if (year === undefined) continue;
    const ms = Date.parse(`${day} ${month} ${fourDigitYear(year)} ${time} GMT`);
    return Number.isNaN(ms) ? null : ms;
  }
  return null;
}

function fourDigitYear(year: string): string {
  if (year.length === 4) return year;
  return Number(year) < FIRST_YEAR_OF_1900S ? `20${year}` : `19${year}`;
}
