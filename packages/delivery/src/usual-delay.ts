/** For as long at least, and twice as long at most, a delay counts towards what is usual, ms. */
const WINDOW_MS = 5_000;

/**
 * How long the store usually takes to answer: the least that it took in the last five to ten seconds. So much is the way
 * there and back, whatever it is that has to be done. What comes on top of it may have passed after the store had
 * decided: the answer was held up, or this process was.
 *
 * By time, not by number: who stood still finds all that was under way late, and none of that is usual.
 */
export class UsualDelay {
  #sinceMs = Number.NEGATIVE_INFINITY;
  #leastMs: number | undefined;
  #leastBeforeMs: number | undefined;

  /**
   * Notes an answer, and tells by how much it came later than usual, ms; of the first one how long it took.
   *
   * @param askedAtMs - monotonic, as the other.
   */
  excessMs(askedAtMs: number, answeredAtMs: number): number {
    const tookMs = answeredAtMs - askedAtMs;
    const leastMs = this.#leastMs ?? 0;
    const usualMs = Math.min(leastMs, this.#leastBeforeMs ?? leastMs);
    if (answeredAtMs - this.#sinceMs > WINDOW_MS) {
      this.#leastBeforeMs = this.#leastMs;
      this.#leastMs = tookMs;
      this.#sinceMs = answeredAtMs;
    } else {
      this.#leastMs = Math.min(leastMs, tookMs);
    }
    return tookMs - usualMs;
  }
}
