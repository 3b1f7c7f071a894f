import { LONGEST_RATE_MARGIN_MS } from '@latchhook/core/storage';

/** The smallest margin, ms: enough for a nearby store and an idle event loop. */
const LEAST_MS = 25;
/** The first estimate of the usual time, ms. It is high, as a process that has just started is slow. */
const AT_FIRST_MS = 100;
/** The margin, as a multiple of the usual time. */
const SLACK = 1.5;
/**
 * How far one claim raises the estimate at most, ms; doubled for each further late claim in a row. A process that was
 * blocked once says nothing about the next claim, but the estimate has to reach one that is always late soon.
 */
const FIRST_STEP_MS = 10;
const UP = 0.5;
const DOWN = 0.05;

/**
 * How long after its claim was requested an attempt may begin, ms. The margin adapts to the time that this has taken
 * recently, so that with a distant store or a busy process claims do not always expire. A wider margin costs throughput
 * where the rate limit is reached, as each start counts towards the limit for longer.
 */
export class RateMargin {
  #usualMs = AT_FIRST_MS;
  #stepMs = FIRST_STEP_MS;

  get ms(): number {
    return Math.min(LONGEST_RATE_MARGIN_MS, Math.max(LEAST_MS, Math.ceil(this.#usualMs * SLACK)));
  }

  /** @param ageMs - the time from the request of a claim until its last attempt began */
  record(ageMs: number): void {
    const distance = ageMs - this.#usualMs;
    const isLate = ageMs > this.ms;
    this.#usualMs += distance > 0 ? Math.min(this.#stepMs, distance * UP) : distance * DOWN;
    this.#stepMs = isLate ? 2 * this.#stepMs : FIRST_STEP_MS;
  }
}
