import { FairSlots } from './fair-slots.ts';
import { RetryPace } from './retry-pace.ts';

/**
 * An account may hold half as many places as are free: a third of them all while it is alone; where three accounts take
 * what they can, each ends up with a fifth, and two fifths stay free. With a fixed third, three accounts whose receivers
 * hang would leave nothing, and one client may have three accounts.
 */
const SHARE_OF_FREE = 1 / 2;
/** The share is never smaller than this: it is what one webhook alone may have under way. */
const MIN_PLACES = 10;

/** Begins an attempt in a place that has become free. Answers `false` where it is no longer wanted. */
export type Begin = () => boolean;

/**
 * Bounds how many of a process's places, one for each attempt under way, one account takes. A webhook has a bound of its
 * own, over all processes; but an account may have a hundred webhooks, and fifty that hang, at ten attempts each, would
 * take all five hundred places there are.
 *
 * A delivery that finds no place waits in line for the next free one; or, where it would hold a slot of the queue
 * meanwhile, is turned away with a time to try again.
 */
export class AccountPlaces {
  readonly #slots: FairSlots<Begin>;
  /** Of accounts that hold places, and of which some were turned away. */
  readonly #paces = new Map<number, RetryPace>();

  /** @param places - those of the process */
  constructor(places: number) {
    this.#slots = new FairSlots({
      // A place that one leaves raises the share of all others.
      share: (taken) => Math.max(MIN_PLACES, (places - taken) * SHARE_OF_FREE),
      begin: (begin) => begin(),
    });
  }

  /** Takes a place, unless the account has its share already; answers whether it did. */
  enter(accountId: number): boolean {
    return this.#slots.take(accountId);
  }

  /** After `enter` answered `false`: has `begin` called once a place is free, after those that wait already. */
  lineUp(accountId: number, begin: Begin): void {
    this.#slots.lineUp(accountId, begin);
  }

  leave(accountId: number): void {
    this.#paces.get(accountId)?.noteFreed();
    this.#slots.giveBack(accountId);
    if (this.#slots.takenBy(accountId) === 0) this.#paces.delete(accountId);
  }

  /** After `enter` answered `false`: in how many ms to try again. Each call answers a time of its own. */
  reserveRetryMs(accountId: number, nowMs: number): number {
    const pace = this.#paces.get(accountId) ?? new RetryPace(nowMs);
    this.#paces.set(accountId, pace);
    return pace.reserveMs(this.#slots.share, nowMs);
  }
}
