/**
 * An account may hold half as many places as are free: a third of them all while it is alone; where three accounts take
 * what they can, each ends up with a fifth, and two fifths stay free. With a fixed third, three accounts whose receivers
 * hang would leave nothing, and one client may have three accounts.
 */
const SHARE_OF_FREE = 1 / 2;
/** The share is never smaller than this: it is what one webhook alone may have under way. */
const MIN_PLACES = 10;
/** The longest that an attempt is assumed to take, ms, when estimating how soon a place becomes free. */
const ASSUMED_ATTEMPT_MS = 500;
/** The shortest pause, ms: a queue wakes early, and each try in vain costs it a round trip. */
const MIN_PAUSE_MS = 100;
/** The longest pause, ms. Whoever comes after that is spread over the same time again: places may be free by then. */
const MAX_PAUSE_MS = 5_000;
/** How far back the rate at which places become free is measured, ms. */
const LOOK_BACK_MS = 1_000;

/** Begins an attempt in a place that has become free. Answers `false` where it is no longer wanted. */
export type Begin = () => boolean;

interface Account {
  taken: number;
  /** Those that wait for a place, in the order in which they came. `null` until somebody does: most never wait. */
  line: Set<Begin> | null;
  /** How many places have become free since `freedSinceMs`. */
  freed: number;
  freedSinceMs: number;
  /** Until when its places are reserved for those that were turned away. */
  reservedUntilMs: number;
}

/**
 * Bounds how many of a process's places, one for each attempt under way, one account takes. A webhook has a bound of its
 * own, over all processes; but an account may have a hundred webhooks, and fifty that hang, at ten attempts each, would
 * take all five hundred places there are.
 *
 * A delivery that finds no place waits in line for the next free one; or, where it would hold a slot of the queue
 * meanwhile, is turned away with a time to try again.
 */
export class AccountPlaces {
  readonly #accounts = new Map<number, Account>();
  /** The accounts in whose lines something waits. */
  readonly #waiting = new Set<Account>();
  #free: number;

  /** @param places - those of the process */
  constructor(places: number) {
    this.#free = places;
  }

  /** Takes a place, unless the account has its share already; answers whether it did. */
  enter(accountId: number): boolean {
    const account = this.#account(accountId);
    if (account.taken >= this.#limit) return false;
    this.#take(account, 1);
    return true;
  }

  /** After `enter` answered `false`: has `begin` called once a place is free, after those that wait already. */
  lineUp(accountId: number, begin: Begin): void {
    const account = this.#account(accountId);
    account.line ??= new Set();
    account.line.add(begin);
    this.#waiting.add(account);
  }

  leave(accountId: number): void {
    const account = this.#account(accountId);
    account.freed += 1;
    this.#take(account, -1);
    this.#serve();
    if (account.taken <= 0) this.#accounts.delete(accountId);
  }

  /**
   * After `enter` answered `false`: in how many ms to try again. Reserves that moment, by the pace at which places have
   * become free recently, so that thousands that are turned away do not come back at once, in vain.
   */
  reserveRetryMs(accountId: number, nowMs: number): number {
    const account = this.#account(accountId);
    const elapsedMs = nowMs - account.freedSinceMs;
    const limit = this.#limit;
    const gapMs = Math.min(ASSUMED_ATTEMPT_MS / limit, elapsedMs / account.freed || Infinity);
    if (elapsedMs > LOOK_BACK_MS) {
      account.freed = 0;
      account.freedSinceMs = nowMs;
    }
    const turnMs = Math.max(MIN_PAUSE_MS, gapMs * limit);
    const isReservedForLong = account.reservedUntilMs > nowMs + MAX_PAUSE_MS;
    const atMs = Math.max(nowMs + turnMs, isReservedForLong ? 0 : account.reservedUntilMs);
    account.reservedUntilMs = atMs + gapMs;
    return atMs - nowMs;
  }

  /** How many places an account may have, as things stand. */
  get #limit(): number {
    return Math.max(MIN_PLACES, this.#free * SHARE_OF_FREE);
  }

  /** Begins what waits, account by account in turns: a place that one leaves raises the share of all others. */
  #serve(): void {
    for (let begun = true; begun; ) {
      begun = false;
      for (const account of this.#waiting) {
        if (account.taken < this.#limit && this.#beginNext(account)) begun = true;
      }
    }
  }

  #beginNext(account: Account): boolean {
    for (const begin of account.line ?? []) {
      account.line?.delete(begin);
      this.#take(account, 1);
      if (begin()) return true;
      this.#take(account, -1);
    }
    this.#waiting.delete(account);
    return false;
  }

  #take(account: Account, places: 1 | -1): void {
    account.taken += places;
    this.#free -= places;
  }

  #account(accountId: number): Account {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const account: Account = {
      taken: 0,
      line: null,
      freed: 0,
      freedSinceMs: 0,
      reservedUntilMs: 0,
    };
    this.#accounts.set(accountId, account);
    return account;
  }
}
