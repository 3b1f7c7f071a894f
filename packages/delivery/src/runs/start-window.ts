import { FairSlots } from './fair-slots.ts';

/**
 * The widest window: enough for ten thousand attempts a second where the store answers within 3 ms, and few enough that
 * their answers, if they all come together, are worked off within a few milliseconds.
 */
const MAX_WIDTH = 32;
/** The narrowest, where most attempts are late: enough to find out whether they still are. */
const MIN_WIDTH = 2;

/** Called with whether it may start now; `false`: it is refused. */
type Waiter = (mayStart: boolean) => void;

/**
 * Bounds how many attempts of a process are between asking the store and being sent: each has to begin within the
 * margin of the rate once it is admitted. If five hundred asked at once, most would be too late however quick the store
 * is, and would have to ask again. First come, first served within an account; accounts that wait take turns.
 *
 * Its width follows how the attempts fare, as that of a congestion window does (RFC 5681): it is halved when one was
 * late, and grows by one for as many in time as fit into it. Where processor or store is short, asking again and again
 * would keep it short, and so keep everything late.
 */
export class StartWindow {
  #width = MAX_WIDTH;
  #halvedAtMs = Number.NEGATIVE_INFINITY;
  #acquiredSoFar = 0;
  readonly #slots = new FairSlots<Waiter>({
    share: (inUse) => this.#share(inUse),
    begin: (waiter) => {
      this.#acquiredSoFar += 1;
      waiter(true);
      return true;
    },
  });

  /** How many slots were acquired so far. It does not grow while this process has nothing to send. */
  get acquiredSoFar(): number {
    return this.#acquiredSoFar;
  }

  /**
   * `null`: a slot is acquired. Otherwise `true` once one is, or `false` if it is refused. Release each one acquired.
   */
  acquire(accountId: number): Promise<boolean> | null {
    if (!this.#slots.tryAcquire(accountId)) {
      return new Promise((waiter) => this.#slots.addWaiter(accountId, waiter));
    }
    this.#acquiredSoFar += 1;
    return null;
  }

  release(accountId: number): void {
    this.#slots.release(accountId);
  }

  /** An attempt began within the margin of the rate. */
  noteInTime(): void {
    this.#width = Math.min(MAX_WIDTH, this.#width + 1 / this.#width);
  }

  /**
   * An attempt came too late to begin. Attempts that are late together halve the width only once: those that were asked
   * for before it was halved say nothing about the new one.
   *
   * @param askedAtMs - when the store was asked for it; monotonic, like `nowMs`.
   */
  noteLate(askedAtMs: number, nowMs: number): void {
    if (askedAtMs < this.#halvedAtMs) return;
    this.#halvedAtMs = nowMs;
    this.#width = Math.max(MIN_WIDTH, this.#width / 2);
  }

  /** For a store that does not answer: all that wait of the account would only find that out one after the other. */
  refuseWaiting(accountId: number): void {
    for (const waiter of this.#slots.dismiss(accountId)) waiter(false);
  }

  /** Half of the width: where the store is slow to answer for one account, the others go on. */
  #share(inUse: number): number {
    return inUse < Math.floor(this.#width) ? Math.floor(this.#width / 2) : 0;
  }
}
