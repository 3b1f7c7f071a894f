import { FairSlots } from './fair-slots.ts';

/**
 * Turns that may be taken at a time: enough for ten thousand attempts a second where the store answers within 3 ms, and
 * few enough that their answers, if they all come together, are worked off within a few milliseconds.
 */
const MAX_TURNS = 32;
/** Turns at a time where most attempts are late: enough to find out whether they still are. */
const MIN_TURNS = 2;

type Tell = (isTurn: boolean) => void;

/**
 * Bounds how many attempts of a process are between asking the store and being sent: each has to begin within the margin
 * of the rate once it is admitted. If five hundred asked at once, most would be too late however quick the store is, and
 * would have to ask again. First come, first served within an account; accounts that wait take turns.
 *
 * The bound follows how the attempts fare, as a congestion window does (RFC 5681): it is halved when one was late, and
 * grows by one for as many in time as it allows. Where processor or store is short, asking again and again would keep it
 * short, and so keep everything late.
 */
export class StartTurns {
  #allowed = MAX_TURNS;
  #halvedAtMs = Number.NEGATIVE_INFINITY;
  #given = 0;
  readonly #slots = new FairSlots<Tell>({
    share: (taken) => this.#share(taken),
    begin: (tell) => {
      this.#given += 1;
      tell(true);
      return true;
    },
  });

  /** How many turns have been taken so far. It does not grow while this process has nothing to send. */
  get given(): number {
    return this.#given;
  }

  /** `null`: the turn is taken. Otherwise `true` once it is, or `false` if it is refused. Give each turn taken back. */
  take(accountId: number): Promise<boolean> | null {
    if (!this.#slots.take(accountId)) {
      return new Promise((tell) => this.#slots.lineUp(accountId, tell));
    }
    this.#given += 1;
    return null;
  }

  giveBack(accountId: number): void {
    this.#slots.giveBack(accountId);
  }

  /** An attempt began within the margin of the rate. */
  noteInTime(): void {
    this.#allowed = Math.min(MAX_TURNS, this.#allowed + 1 / this.#allowed);
  }

  /**
   * An attempt came too late to begin. Attempts that are late together halve the bound only once: those that were asked
   * for before it was halved say nothing about the new bound.
   *
   * @param askedAtMs - when the store was asked for it; monotonic, like `nowMs`.
   */
  noteLate(askedAtMs: number, nowMs: number): void {
    if (askedAtMs < this.#halvedAtMs) return;
    this.#halvedAtMs = nowMs;
    this.#allowed = Math.max(MIN_TURNS, this.#allowed / 2);
  }

  /** For a store that does not answer: all that wait of the account would only find that out one after the other. */
  refuseWaiting(accountId: number): void {
    for (const tell of this.#slots.dismiss(accountId)) tell(false);
  }

  /** Half of all that are allowed: where the store is slow to answer for one account, the others go on. */
  #share(taken: number): number {
    const allowed = Math.floor(this.#allowed);
    return taken < allowed ? Math.floor(this.#allowed / 2) : 0;
  }
}
