/**
 * The least of the values that were noted in the last one to two periods, as far as some are noted all the time: what
 * is old is replaced by what is new, not forgotten. It goes by time, not by a number of values: those that come all at
 * once, as after a standstill, do not push out what is usual.
 */
export class RecentLeast {
  readonly #periodMs: number;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #least: number | undefined;
  #leastBefore: number | undefined;

  /** @param periodMs - for how long a value counts at least. */
  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** The least; `undefined` where nothing was noted. */
  get value(): number | undefined {
    if (this.#least === undefined) return undefined;
    return Math.min(this.#least, this.#leastBefore ?? this.#least);
  }

  /**
   * Notes a value.
   *
   * @param nowMs - monotonic.
   */
  note(value: number, nowMs: number): void {
    if (nowMs - this.#sinceMs > this.#periodMs) {
      this.#leastBefore = this.#least;
      this.#least = value;
      this.#sinceMs = nowMs;
    } else {
      this.#least = Math.min(this.#least ?? value, value);
    }
  }
}
