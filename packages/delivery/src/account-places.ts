/** Of the places of a process, so much is the most that one account takes: others always find some. */
const SHARE = 1 / 3;
/** As many as one webhook may have under way: fewer would be no share. */
const LEAST = 10;
/** What an attempt of an account with many is taken to last, ms: so long its places are taken for. */
const TURN_MS = 500;

/**
 * Bounds how many of a process's places one account takes. Each webhook has a bound of its own, over all
 * processes; but an account has a hundred webhooks, and a dozen that hang would take every place there is.
 */
export class AccountPlaces {
  readonly #limit: number;
  readonly #taken = new Map<number, number>();
  /** Until when the places of an account are spoken for by those that were turned away. */
  readonly #spokenForUntilMs = new Map<number, number>();

  /** @param places - those of the process */
  constructor(places: number) {
    this.#limit = Math.max(LEAST, Math.ceil(places * SHARE));
  }

  /** Takes a place, if the account has not its share; answers whether. */
  enter(accountId: number): boolean {
    const taken = this.#taken.get(accountId) ?? 0;
    if (taken >= this.#limit) return false;
    this.#taken.set(accountId, taken + 1);
    return true;
  }

  leave(accountId: number): void {
    const taken = this.#taken.get(accountId) ?? 0;
    if (taken > 1) this.#taken.set(accountId, taken - 1);
    else {
      this.#taken.delete(accountId);
      this.#spokenForUntilMs.delete(accountId);
    }
  }

  /** When to try again, for one that was turned away: spread, so that thousands do not come at once, in vain. */
  pauseMs(accountId: number, nowMs: number): number {
    const atMs = Math.max(nowMs + TURN_MS, this.#spokenForUntilMs.get(accountId) ?? 0);
    this.#spokenForUntilMs.set(accountId, atMs + TURN_MS / this.#limit);
    return atMs - nowMs;
  }
}
