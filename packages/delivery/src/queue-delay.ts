/** By so much a queue may wake late, ms. */
const LATENESS_MS = 50;
/**
 * About so long a delivery sleeps at most, ms, though it is told to come later: it asks again, and the store knows. Those of a
 * webhook that was removed would else stay for as long as its rate had them wait, which may be months.
 */
export const LONGEST_SLEEP_MS = 3_600_000;

/**
 * The delay to give a queue for what is to be asked for in `delayMs`: a little less, so that the rest is waited
 * for in place, to the millisecond. Every start that comes late is the beginning of a window that ends late:
 * with a backlog it would add up, window by window.
 */
export function queueDelayMs(delayMs: number): number {
  return Math.min(LONGEST_SLEEP_MS, Math.max(0, Math.ceil(delayMs) - LATENESS_MS));
}
