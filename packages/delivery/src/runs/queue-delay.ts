/** How late a queue may wake, ms. */
const LATENESS_MS = 50;
/**
 * The longest that a delivery waits in an engine, ms, even if it is scheduled for later: it then asks the store again.
 * Otherwise the deliveries of a webhook that was removed would stay for as long as its rate had them wait, which may be
 * months.
 */
export const LONGEST_DELAY_MS = 3_600_000;

/**
 * The delay to give a queue for what is due in `delayMs`: a little less, so that the rest is waited for in place, to
 * the millisecond. A start that comes late begins a window of the rate that ends late; with a backlog that would add
 * up, window by window.
 */
export function queueDelayMs(delayMs: number): number {
  return Math.min(LONGEST_DELAY_MS, Math.max(0, Math.ceil(delayMs) - LATENESS_MS));
}
