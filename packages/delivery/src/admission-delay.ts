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
 * How late it is since attempts were admitted, beyond what is usual. Usual is the least of the last five to ten seconds
 * in which there were answers: the way from the store, of which nobody knows how long it takes. What comes on top is
 * time in which the answer was held up, or this process stood still.
 */
export class AdmissionDelay {
  readonly #sinceAsked = new RecentLeast();
  readonly #sinceStarted = new RecentLeast();

  /**
   * Notes an answer, and tells how much has passed since the attempt was admitted at most, beyond what is usual, ms.
   * Two bounds, of which the lower holds. Since it was asked for: too high where the store was late to admit it, with
   * much else to do. By the clock of the store, whatever that shows: too high for a while after it was set back, and
   * too low for the one answer that comes first after it was set ahead.
   */
  measureExcessMs({ askedAtMs, startedAtMs }: Admission, nowMs: number): number {
    const sinceAskedMs = this.#sinceAsked.excess(nowMs - askedAtMs, nowMs);
    const sinceStartedMs = this.#sinceStarted.excess(nowMs - startedAtMs, nowMs);
    if (sinceAskedMs === undefined || sinceStartedMs === undefined) return nowMs - askedAtMs;
    return Math.min(sinceAskedMs, sinceStartedMs);
  }
}

/** By time, not by number: who stood still finds all that was under way late, and none of that is usual. */
class RecentLeast {
  #sinceMs = Number.NEGATIVE_INFINITY;
  #least: number | undefined;
  #leastBefore: number | undefined;

  /** By how much a measurement, which is noted, exceeds the least before it. `undefined`: there was none. */
  excess(measured: number, nowMs: number): number | undefined {
    const least = this.#least;
    const recentLeast =
      least === undefined ? undefined : Math.min(least, this.#leastBefore ?? least);
    if (least === undefined || nowMs - this.#sinceMs > WINDOW_MS) {
      this.#leastBefore = least;
      this.#least = measured;
      this.#sinceMs = nowMs;
    } else if (measured < least) {
      this.#least = measured;
    }
    return recentLeast === undefined ? undefined : measured - recentLeast;
  }
}
