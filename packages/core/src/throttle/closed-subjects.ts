import { type Clock, monotonicMs } from '../ports/clock.ts';

/** Below so many, nothing is looked through. */
const FEW = 64;

/**
 * What this process knows to be closed, so that what is under way need not ask the store again.
 *
 * Expiry: what is open again is forgotten when it is asked for, or when as many have been closed as were left by the
 * last time that all were looked through: O(1) each, amortised, and at most twice as many are kept as are closed.
 */
export class ClosedSubjects {
  readonly #clock: Clock;
  readonly #untilMs = new Map<string, number>();
  #sweepAtSize = FEW;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#untilMs.size;
  }

  close(subject: string, forMs: number): void {
    // By durations, since an hour that the time of day is set back would keep an owner out for as long.
    const nowMs = monotonicMs(this.#clock);
    if (this.#untilMs.size >= this.#sweepAtSize) {
      for (const [other, untilMs] of this.#untilMs) {
        if (untilMs <= nowMs) this.#untilMs.delete(other);
      }
      this.#sweepAtSize = Math.max(FEW, 2 * this.#untilMs.size);
    }
    this.#untilMs.set(subject, nowMs + forMs);
  }

  /** For how long it is closed still, ms; 0: it is open. */
  leftMs(subject: string): number {
    const untilMs = this.#untilMs.get(subject);
    if (untilMs === undefined) return 0;
    const leftMs = untilMs - monotonicMs(this.#clock);
    if (leftMs > 0) return leftMs;
    this.#untilMs.delete(subject);
    return 0;
  }
}
