import { LONGEST_RATE_MARGIN_MS } from '@latchhook/core/storage';

/** The smallest margin, ms: enough for a nearby store and an idle event loop. */
const LEAST_MS = 25;
/** The first estimate of the usual time, ms. It is high, as a process that has just started is slow. */
const AT_FIRST_MS = 100;
/** The margin, as a multiple of the usual time. */
const SLACK = 1.5;
/**
 * How far one late claim raises the estimate at most, ms: a process that was blocked once says nothing about the next
 * claim. After two late claims in a row, the estimate becomes the time that the second took, as each late claim costs
 * the webhook a start: with a rate limit of one a minute, a whole minute.
 */
const STEP_MS = 10;
const UP = 0.5;
const DOWN = 0.05;

/**
 * How long after its claim was requested an attempt may begin, ms. The margin adapts to the time that this has taken
 * recently, so that with a distant store or a busy process claims do not always expire. A wider margin costs throughput
 * where the rate limit is reached, as each start counts towards the limit for longer.
 */
export class RateMargin {
  #usualMs = AT_FIRST_MS;
  /** Initially `true`, as the first estimate is a guess: one late claim corrects it. */
  #wasLate = true;

  get ms(): number {
    return Math.min(LONGEST_RATE_MARGIN_MS, Math.max(LEAST_MS, Math.ceil(this.#usualMs * SLACK)));
  }

  /** @param ageMs - the time from the request of a claim until its last attempt began */
  record(ageMs: number): void {
    const distance = ageMs - this.#usualMs;
    const isLate = ageMs > this.ms;
    if (isLate && this.#wasLate) this.#usualMs = Math.min(ageMs, LONGEST_RATE_MARGIN_MS / SLACK);
    else this.#usualMs += distance > 0 ? Math.min(STEP_MS, distance * UP) : distance * DOWN;
    this.#wasLate = isLate;
  }
}
