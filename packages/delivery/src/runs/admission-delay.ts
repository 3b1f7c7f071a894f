import { RecentLeast } from '@latchhook/core/delivery';

/** A measurement counts as usual for one to two of these, ms. */
const PERIOD_MS = 5_000;
/** After a pause of this length, ms, nothing is known: two clocks may have drifted apart by 15 ms. */
const FORGET_AFTER_MS = 300_000;
/** How much of what the usual delay may hide counts as late, as a share of the margin. */
const HIDDEN_SHARE_OF_MARGIN = 0.25;

/** When an attempt was asked for, and when the store admitted it. */
export interface AdmissionTimes {
  /** Monotonic, ms. */
  readonly askedAtMs: number;
  /** By the store's clock, ms. */
  readonly startedAtMs: number;
}

/** The least times of a while, each with the offset between the two clocks in it. */
interface Usual {
  /** From the question to the admission. */
  readonly there: RecentLeast;
  /** From the admission until the attempt was about to begin. */
  readonly back: RecentLeast;
}

/**
 * Measures how late attempts begin after the store admitted them (ADR 43). Neither the latency of the store's answer
 * nor the offset between the two clocks is known. But both are part of every measurement, so the least of the last five
 * to ten seconds is the usual delay, and whatever exceeds it is lateness: the answer was held up, or this process stood
 * still.
 *
 * The usual delay may hide lateness itself: a process that has just started on a busy machine has seen nothing quick.
 * It hides no more than the quickest ways there and back take together, in which the offset cancels out while no clock
 * is set. So that counts as late too, up to a quarter of the margin. With more, processes whose store is ten or twenty
 * milliseconds away would be late whenever an answer waits for a turn of the event loop.
 */
export class AdmissionDelay {
  readonly #mostHiddenMs: number;
  #usual: Usual | undefined;
  #firstAtMs = 0;
  #measuredAtMs = Number.NEGATIVE_INFINITY;

  /** @param rateMarginMs - how late an attempt may be. */
  constructor(rateMarginMs: number) {
    this.#mostHiddenMs = rateMarginMs * HIDDEN_SHARE_OF_MARGIN;
  }

  /**
   * Notes that an attempt is about to begin, and answers how late it is, ms. That is bounded in two ways, and the
   * lower bound holds: the time since the store was asked; and the time since it admitted the attempt, by its own
   * clock, less what is usual. The second is too high for a while after that clock was set back, and too low for the
   * first attempt after it was set ahead.
   *
   * @param nowMs - monotonic.
   */
  measureMs({ askedAtMs, startedAtMs }: AdmissionTimes, nowMs: number): number {
    const usual = this.#recent(nowMs);
    const backMs = nowMs - startedAtMs;
    const lateMs = Math.min(nowMs - askedAtMs, backMs - this.#leastBackMs(usual));
    // Attempts that were asked for before the first one began may all have been held up together with it.
    if (askedAtMs >= this.#firstAtMs) {
      usual.there.note(startedAtMs - askedAtMs, nowMs);
      usual.back.note(backMs, nowMs);
    }
    return Math.max(0, lateMs);
  }

  /** Begins anew after a pause. */
  #recent(nowMs: number): Usual {
    if (this.#usual === undefined || nowMs - this.#measuredAtMs > FORGET_AFTER_MS) {
      this.#usual = { there: new RecentLeast(PERIOD_MS), back: new RecentLeast(PERIOD_MS) };
      this.#firstAtMs = nowMs;
    }
    // Time that was spent on connecting is taken off, so it may go back.
    this.#measuredAtMs = Math.max(this.#measuredAtMs, nowMs);
    return this.#usual;
  }

  #leastBackMs({ there, back }: Usual): number {
    if (there.value === undefined || back.value === undefined) return Number.NEGATIVE_INFINITY;
    // Less than nothing for a while after the store's clock was set.
    const hiddenMs = Math.max(0, there.value + back.value);
    return back.value - Math.min(hiddenMs, this.#mostHiddenMs);
  }
}
