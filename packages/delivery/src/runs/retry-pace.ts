/** The longest that an attempt is assumed to take, ms, when estimating how soon a slot becomes free. */
const ASSUMED_ATTEMPT_MS = 500;
/** The shortest pause, ms: a queue wakes early, and each try in vain costs it a round trip. */
const MIN_PAUSE_MS = 100;
/** The longest pause, ms. Whoever comes after that is spread over the same time again: slots may be free by then. */
const MAX_PAUSE_MS = 5_000;
/** How far back the rate at which slots become free is measured, ms. */
const LOOK_BACK_MS = 1_000;

/**
 * Spreads the deliveries of one account that found no slot over the time to come, by the pace at which its slots have
 * become free recently: thousands that are turned away do not come back at once, in vain.
 */
export class RetryPace {
  /** How many slots have become free since `#freedSinceMs`. */
  #freed = 0;
  #freedSinceMs: number;
  /** Until when its slots are reserved for those that were turned away. */
  #reservedUntilMs = 0;

  constructor(nowMs: number) {
    this.#freedSinceMs = nowMs;
  }

  /** A slot has become free. */
  noteFreed(): void {
    this.#freed += 1;
  }

  /**
   * In how many ms the next may try again. Reserves that moment.
   *
   * @param share - slots that the account may have
   */
  reserveMs(share: number, nowMs: number): number {
    const elapsedMs = nowMs - this.#freedSinceMs;
    const gapMs = Math.min(ASSUMED_ATTEMPT_MS / share, elapsedMs / this.#freed || Infinity);
    if (elapsedMs > LOOK_BACK_MS) {
      this.#freed = 0;
      this.#freedSinceMs = nowMs;
    }
    const turnMs = Math.max(MIN_PAUSE_MS, gapMs * share);
    const isReservedForLong = this.#reservedUntilMs > nowMs + MAX_PAUSE_MS;
    const atMs = Math.max(nowMs + turnMs, isReservedForLong ? 0 : this.#reservedUntilMs);
    this.#reservedUntilMs = atMs + gapMs;
    return atMs - nowMs;
  }
}
