import { type Clock, wholeMonotonicMs } from '../ports/clock.ts';

/** A map of fewer entries is not purged. */
const MIN_PURGE_SIZE = 64;

/**
 * The subjects that this process knows to be locked, so that pending logins need not ask the store again.
 *
 * Expiry: a subject whose lock has ended is removed when it is looked up, or by a purge. A purge is due whenever the
 * number of subjects has doubled since the last purge: O(1) for each lock, amortised.
 */
export class LocalLocks {
  readonly #clock: Clock;
  readonly #untilMs = new Map<string, number>();
  #purgeAtSize = MIN_PURGE_SIZE;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#untilMs.size;
  }

  lock(subject: string, forMs: number): void {
    // By the monotonic clock: if the wall clock were set back by an hour, the lock would last an hour longer.
    const nowMs = wholeMonotonicMs(this.#clock);
    if (this.#untilMs.size >= this.#purgeAtSize) {
      for (const [lockedSubject, untilMs] of this.#untilMs) {
        if (untilMs <= nowMs) this.#untilMs.delete(lockedSubject);
      }
      this.#purgeAtSize = Math.max(MIN_PURGE_SIZE, 2 * this.#untilMs.size);
    }
    this.#untilMs.set(subject, nowMs + forMs);
  }

  /** How much longer the subject is locked, ms; 0: it is not locked. */
  leftMs(subject: string): number {
    const untilMs = this.#untilMs.get(subject);
    if (untilMs === undefined) return 0;
    const leftMs = untilMs - wholeMonotonicMs(this.#clock);
    if (leftMs > 0) return leftMs;
    this.#untilMs.delete(subject);
    return 0;
  }
}
