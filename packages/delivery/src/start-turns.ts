/**
 * Enough for ten thousand attempts a second where the store answers within 3 ms, and few enough that their answers,
 * which may come together, are worked off within some milliseconds.
 */
const AT_ONCE = 32;
/** Of one account: where the store keeps it waiting, others go on. */
const AT_ONCE_OF_ONE = 16;

type Tell = (isTurn: boolean) => void;

interface Account {
  taken: number;
  /** Those that wait. `null` until somebody does: most never wait. */
  line: Set<Tell> | null;
}

/**
 * Bounds how many of a process's attempts are between being asked for and being sent. Each has to be sent within the
 * margin of the rate, once it is admitted. Of five hundred that ask at once most would be late, however quick the store
 * is, and would have to ask again. First come, first served, within an account; accounts that wait take turns.
 */
export class StartTurns {
  #free = AT_ONCE;
  /** Those that have turns, or wait for some. */
  readonly #accounts = new Map<number, Account>();
  /** Those that wait and could have another, whoever waits longest first. */
  readonly #next = new Set<Account>();

  /** `null`: at once; else whether it comes. Who has had a turn gives it back. */
  take(accountId: number): Promise<boolean> | null {
    const account = this.#accounts.get(accountId) ?? { taken: 0, line: null };
    this.#accounts.set(accountId, account);
    if (this.#free > 0 && account.taken < AT_ONCE_OF_ONE) {
      this.#free -= 1;
      account.taken += 1;
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
    this.#free += 1;
    account.taken -= 1;
    this.#lineUp(account);
    if (this.#next.size > 0) this.#admitOne();
    if (account.taken === 0 && !account.line?.size) this.#accounts.delete(accountId);
  }

  /** Where the store does not answer: those of the account that wait would find that too, one after the other. */
  refuseWaiting(accountId: number): void {
    const account = this.#accounts.get(accountId);
    if (!account?.line) return;
    this.#next.delete(account);
    for (const tell of account.line) tell(false);
    account.line.clear();
  }

  #lineUp(account: Account): void {
    if (account.line?.size && account.taken < AT_ONCE_OF_ONE) this.#next.add(account);
  }

  #admitOne(): void {
    const [account] = this.#next;
    const [tell] = account?.line ?? [];
    if (account === undefined || tell === undefined) return;
    this.#next.delete(account);
    account.line?.delete(tell);
    this.#free -= 1;
    account.taken += 1;
    tell(true);
    this.#lineUp(account);
  }
}
