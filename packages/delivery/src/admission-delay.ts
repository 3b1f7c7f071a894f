/** For as long at least, and twice as long at most, what was measured tells what is usual, ms. */
const WINDOW_MS = 5_000;

/** An attempt that the store has admitted. */
export interface Admission {
  /** Monotonic, ms. */
  readonly askedAtMs: number;
  /** By the store's clock, ms. */
  readonly startedAtMs: number;
}

/**
 * How late attempts begin after they were admitted. Nobody knows how long the way from the store is, and how far its
 * clock is from ours, so that what is told is how much more has passed than the least of the last five to ten seconds in
 * which there were attempts: the answer was held up, or this process stood still.
 *
 * By time, not by number: who stood still finds all that was under way late, and none of that is usual.
 */
export class AdmissionDelay {
  #firstAtMs: number | undefined;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #leastMs: number | undefined;
  #leastBeforeMs: number | undefined;

  /**
   * Notes that an attempt is about to begin, and tells how late it is at most, ms. Two bounds, of which the lower holds:
   * all the time since it was asked for, and by how much the time since it was admitted, by the clock of the store,
   * exceeds the usual. The second is too high for a while after that clock was set back, and too low for the one
   * attempt that is first after it was set ahead.
   *
   * @param nowMs - monotonic.
   */
  measureMs({ askedAtMs, startedAtMs }: Admission, nowMs: number): number {
    const tripMs = nowMs - askedAtMs;
    const lagMs = nowMs - startedAtMs;
    const usualMs = this.#usualMs();
    this.#firstAtMs ??= nowMs;
    // Those that were under way with the first may all have been held up with it.
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
