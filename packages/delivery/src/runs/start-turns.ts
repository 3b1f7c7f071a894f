/**
 * Turns that may be taken at a time: enough for ten thousand attempts a second where the store answers within 3 ms, and
 * few enough that their answers, if they all come together, are worked off within a few milliseconds.
 */
const MAX_TURNS = 32;
/** Turns at a time where most attempts are late: enough to find out whether they still are. */
const MIN_TURNS = 2;

type Tell = (isTurn: boolean) => void;

interface Account {
  taken: number;
  /** Those that wait. `null` until somebody does: most never wait. */
  line: Set<Tell> | null;
}

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
  #taken = 0;
  #given = 0;
  /** Accounts that have turns, or wait for some. */
  readonly #accounts = new Map<number, Account>();
  /** Accounts that wait and may have another turn, the longest waiting first. */
  readonly #next = new Set<Account>();

  /** How many turns have been taken so far. It does not grow while this process has nothing to send. */
  get given(): number {
    return this.#given;
  }

  /** `null`: the turn is taken. Otherwise `true` once it is, or `false` if it is refused. Give each turn taken back. */
  take(accountId: number): Promise<boolean> | null {
    const account = this.#accounts.get(accountId) ?? { taken: 0, line: null };
    this.#accounts.set(accountId, account);
    if (this.#isFree() && this.#mayTake(account)) {
      this.#count(account);
      return null;
    }
    return new Promise((resolve) => {
      account.line ??= new Set();
      account.line.add(resolve);
      this.#lineUp(account);
    });
  }

  giveBack(accountId: number): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    this.#taken -= 1;
    account.taken -= 1;
    this.#lineUp(account);
    while (this.#next.size > 0 && this.#isFree()) this.#admitOne();
    if (account.taken === 0 && !account.line?.size) this.#accounts.delete(accountId);
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
    const account = this.#accounts.get(accountId);
    if (!account?.line) return;
    this.#next.delete(account);
    for (const tell of account.line) tell(false);
    account.line.clear();
  }

  #count(account: Account): void {
    this.#taken += 1;
    this.#given += 1;
    account.taken += 1;
  }

  #isFree(): boolean {
    return this.#taken < Math.floor(this.#allowed);
  }

  /** Half of all that are allowed: where the store is slow to answer for one account, the others go on. */
  #mayTake({ taken }: Account): boolean {
    return taken < Math.floor(this.#allowed / 2);
  }

  #lineUp(account: Account): void {
    if (account.line?.size && this.#mayTake(account)) this.#next.add(account);
  }

  #admitOne(): void {
    const [account] = this.#next;
    const [tell] = account?.line ?? [];
    if (account === undefined || tell === undefined) return;
    this.#next.delete(account);
    account.line?.delete(tell);
    this.#count(account);
    tell(true);
    this.#lineUp(account);
  }
}
