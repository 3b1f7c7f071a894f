import * as v from 'valibot';
import { text } from './basic-fields.ts';
import { describedAs } from './described-as.ts';

/** Date, time and offset, as in RFC 3339: without an offset, the instant would depend on the time zone of the host. */
const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** An instant in ISO 8601, read as milliseconds since 1970. */
export const instant = v.pipe(
  text,
  v.check(isInstant, 'must be a date and time in ISO 8601, with its offset from UTC'),
  v.description('Date and time in ISO 8601, with its offset from UTC.'),
  describedAs({ format: 'date-time' }),
  v.transform(Date.parse),
);

function isInstant(value: string): boolean {
  const [, date] = INSTANT.exec(value) ?? [];
  return date !== undefined && isDate(date) && !Number.isNaN(Date.parse(value));
}

/** Checked separately because `Date.parse` reads the 30th of February as the 2nd of March. */
function isDate(date: string): boolean {
  const parsed = new Date(date);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}
