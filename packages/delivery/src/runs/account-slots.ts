import { FairSlots } from './fair-slots.ts';
import { RetryPace } from './retry-pace.ts';

/**
 * An account may hold half as many slots as are free: a third of them all while it is alone; where three accounts
 * acquire what they can, each ends up with a fifth, and two fifths stay free. With a fixed third, three accounts whose
 * receivers hang would leave nothing, and one client may have three accounts.
 */
const SHARE_OF_FREE = 1 / 2;
/** The share is never smaller than this: what one webhook alone may have in flight by default. */
const MIN_SLOTS = 10;

/** Begins an attempt in a slot that was acquired for it. Answers `false` where it is no longer wanted. */
export type Begin = () => boolean;

/**
 * Bounds how many of a process's slots, one for each attempt in flight, one account holds. A webhook has a bound of its
 * own, over all processes; but an account may have a hundred webhooks, and fifty that hang, at ten attempts each, would
 * hold all five hundred slots there are.
 *
 * A delivery that finds no slot waits for the next free one; or, where its job would stay active in the queue
 * meanwhile, is turned away with a time to try again.
 */
export class AccountSlots {
  readonly #slots: FairSlots<Begin>;
  /** By account, while it holds slots and has had deliveries turned away. */
  readonly #paces = new Map<number, RetryPace>();

  /** @param count - slots of the process */
  constructor(count: number) {
    this.#slots = new FairSlots({
      // A slot that one releases raises the share of all others.
      share: (inUse) => Math.max(MIN_SLOTS, (count - inUse) * SHARE_OF_FREE),
      begin: (begin) => begin(),
    });
  }

  /** Acquires a slot, unless the account has its share already; answers whether it did. */
  tryAcquire(accountId: number): boolean {
    return this.#slots.tryAcquire(accountId);
  }

  /**
   * After `tryAcquire` answered `false`: has `begin` called once a slot was acquired, after those that wait already.
   */
  whenFree(accountId: number, begin: Begin): void {
    this.#slots.addWaiter(accountId, begin);
  }

  release(accountId: number): void {
    this.#paces.get(accountId)?.noteFreed();
    this.#slots.release(accountId);
    if (this.#slots.inUseBy(accountId) === 0) this.#paces.delete(accountId);
  }

  /** After `tryAcquire` answered `false`: in how many ms to try again. Each call answers a time of its own. */
  reserveRetryMs(accountId: number, nowMs: number): number {
    const pace = this.#paces.get(accountId) ?? new RetryPace(nowMs);
    this.#paces.set(accountId, pace);
    return pace.reserveMs(this.#slots.share, nowMs);
  }
}
