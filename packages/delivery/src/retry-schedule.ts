const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * The delay after the first failed attempt, after the second, and so on. If the attempt after the last delay fails too,
 * the delivery has failed. The retention of deliveries, the length of their log and the longest `Retry-After` depend on
 * the schedule; tests check them against it.
 */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

export const LONGEST_RETRY_DELAY_MS = Math.max(...RETRY_DELAYS_MS);
