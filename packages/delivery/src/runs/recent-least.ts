/** How long a value counts at least, ms; at most for twice as long. */
export const RECENT_MS = 5_000;

/**
 * The least of the values that were noted in the last five to ten seconds. It goes by time, not by a number of values:
 * those that come all at once, as after a standstill, do not push out what is usual.
 */
export class RecentLeast {
  #sinceMs = Number.NEGATIVE_INFINITY;
  #least: number | undefined;
  #leastBefore: number | undefined;

  /** `undefined`: nothing was noted. */
  get value(): number | undefined {
    if (this.#least === undefined) return undefined;
    return Math.min(this.#least, this.#leastBefore ?? this.#least);
  }

  /** @param nowMs - monotonic. */
  note(value: number, nowMs: number): void {
    if (nowMs - this.#sinceMs > RECENT_MS) {
      this.#leastBefore = this.#least;
      this.#least = value;
      this.#sinceMs = nowMs;
    } else {
      this.#least = Math.min(this.#least ?? value, value);
    }
  }
}
