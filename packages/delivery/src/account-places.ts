/**
 * An account takes at most so many times as many places as it leaves to all others: by itself a third of all. Of three
 * that take what they can, each has a fifth, and as much as two of them is free for others. A fixed share of a third
 * would be all there is, for three accounts whose receivers hang, and one client may have three.
 */
const TAKEN_PER_FREE = 1 / 2;
/** As many as one webhook may have under way: fewer would be no share. */
const LEAST = 10;
/** What an attempt of an account with many is taken to last at most, ms: so long its places are taken for. */
const LONGEST_TURN_MS = 500;
/** The shortest that one is turned away for, ms: a queue wakes early, and to come in vain has a price there. */
const SHORTEST_PAUSE_MS = 100;
/** The longest, ms: those that come later are spread over the same time again, since places may be free by then. */
const LONGEST_PAUSE_MS = 5_000;
/** How far back it is looked how quickly places become free, ms. */
const LOOK_BACK_MS = 1_000;

/** Begins an attempt in a place that has become free, and answers whether it did: it may not be wanted any more. */
export type Begin = () => boolean;

interface Account {
  taken: number;
  /** Who waits for a place, in the order of coming. Most accounts come and go without a line. */
  line: Set<Begin> | null;
  /** How many places have become free since. */
  left: number;
  leftSinceMs: number;
  /** Until when its places are spoken for by those that were turned away. */
  spokenForUntilMs: number;
}

/**
 * Bounds how many of a process's places one account takes. Each webhook has a bound of its own, over all
 * processes; but an account has a hundred webhooks, and fifty that hang, at ten each, would take all five hundred
 * places there are.
 *
 * Who finds none waits in line, where that costs no place, and has the next that becomes free; or is turned away.
 */
export class AccountPlaces {
  readonly #accounts = new Map<number, Account>();
  /** Those in whose lines somebody waits. */
  readonly #waiting = new Set<Account>();
  #free: number;

  /** @param places - those of the process */
  constructor(places: number) {
    this.#free = places;
  }

  /** Takes a place, if the account has not its share; answers whether. */
  enter(accountId: number): boolean {
    const account = this.#account(accountId);
    if (account.taken >= this.#limit) return false;
    this.#take(account, 1);
    return true;
  }

  /** For one that found none: has `begin` called in the next that becomes free, after those who wait already. */
  lineUp(accountId: number, begin: Begin): void {
    const account = this.#account(accountId);
    account.line ??= new Set();
    account.line.add(begin);
    this.#waiting.add(account);
  }

  leave(accountId: number): void {
    const account = this.#account(accountId);
    account.left += 1;
    this.#take(account, -1);
    this.#serve();
    if (account.taken <= 0) this.#accounts.delete(accountId);
  }

  /**
   * When to try again, for one that was turned away: as quickly as places have become free of late, and spread, so that
   * thousands do not come at once, in vain.
   */
  pauseMs(accountId: number, nowMs: number): number {
    const account = this.#account(accountId);
    const elapsedMs = nowMs - account.leftSinceMs;
    const limit = this.#limit;
    const gapMs = Math.min(LONGEST_TURN_MS / limit, elapsedMs / account.left || Infinity);
    if (elapsedMs > LOOK_BACK_MS) {
      account.left = 0;
      account.leftSinceMs = nowMs;
    }
    const turnMs = Math.max(SHORTEST_PAUSE_MS, gapMs * limit);
    const isSpokenForLong = account.spokenForUntilMs > nowMs + LONGEST_PAUSE_MS;
    const atMs = Math.max(nowMs + turnMs, isSpokenForLong ? 0 : account.spokenForUntilMs);
    account.spokenForUntilMs = atMs + gapMs;
    return atMs - nowMs;
  }

  /** How many places an account may have, as things stand. */
  get #limit(): number {
    return Math.max(LEAST, this.#free * TAKEN_PER_FREE);
  }

  /** Begins what waits in lines, by turns: a place that one account leaves is room for the others too. */
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
      left: 0,
      leftSinceMs: 0,
      spokenForUntilMs: 0,
    };
    this.#accounts.set(accountId, account);
    return account;
  }
}
