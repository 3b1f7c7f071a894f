/** A measurement counts towards the usual delay for one to two of these, ms. */
const WINDOW_MS = 5_000;

/** When an attempt was asked for, and when the store admitted it. */
export interface AdmissionTimes {
  /** Monotonic, ms. */
  readonly askedAtMs: number;
  /** By the store's clock, ms. */
  readonly startedAtMs: number;
}

/**
 * Measures how late attempts begin after the store admitted them (ADR 43). Neither the latency of the store's answer
 * nor the offset between the two clocks is known. But both are part of every measurement, so the least of the last five
 * to ten seconds is the usual delay, and whatever exceeds it is lateness: the answer was held up, or this process stood
 * still.
 *
 * The usual delay goes by time, not by a number of attempts: after a standstill everything in flight is late at once,
 * and none of that is usual.
 */
export class AdmissionDelay {
  #firstAtMs: number | undefined;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #leastMs: number | undefined;
  #leastBeforeMs: number | undefined;

  /**
   * Notes that an attempt is about to begin, and answers how late it may be at most, ms. There are two upper bounds,
   * and the lower one holds: the time since the store was asked; and the time since it admitted the attempt, by its own
   * clock, less what is usual. The second is too high for a while after that clock was set back, and too low for the
   * first attempt after it was set ahead.
   *
   * @param nowMs - monotonic.
   */
  measureMs({ askedAtMs, startedAtMs }: AdmissionTimes, nowMs: number): number {
    const tripMs = nowMs - askedAtMs;
    const lagMs = nowMs - startedAtMs;
    const usualMs = this.#usualMs();
    this.#firstAtMs ??= nowMs;
    // Attempts that were asked for before the first one began may all have been held up together with it.
    if (askedAtMs >= this.#firstAtMs) this.#note(lagMs, nowMs);
    return usualMs === undefined ? tripMs : Math.max(0, Math.min(tripMs, lagMs - usualMs));
  }

  #usualMs(): number | undefined {
    if (this.#leastMs === undefined) return undefined;
    return Math.min(this.#leastMs, this.#leastBeforeMs ?? this.#leastMs);
  }

  #note(lagMs: number, nowMs: number): void {
    if (nowMs - this.#sinceMs > WINDOW_MS) {
      this.#leastBeforeMs = this.#leastMs;
      this.#leastMs = lagMs;
      this.#sinceMs = nowMs;
    } else {
      this.#leastMs = Math.min(this.#leastMs ?? lagMs, lagMs);
    }
  }
}
