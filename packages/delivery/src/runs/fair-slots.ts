import { Fifo } from './fifo.ts';

/** What the slots are shared by. */
export interface FairSlotsRules<Waiter> {
  /** How many slots one account may hold where `taken` are by all; 0: nobody may take one more. */
  readonly share: (taken: number) => number;
  /** Called when a slot was taken for who waited. Answers `false` where it is no longer wanted: it is free again. */
  readonly begin: (waiter: Waiter) => boolean;
}

interface Account<Waiter> {
  taken: number;
  /** Who waits. `null` until somebody does: most never wait. */
  line: Fifo<Waiter> | null;
}

/**
 * Slots that accounts share. Who finds none may wait: first come, first served within an account, and accounts take turns.
 * An account that holds its share is passed over, and keeps its turn. Shares that grow by themselves are noticed as the
 * next slot is given back.
 *
 * Every operation takes constant time, however many wait, but for the accounts that it passes over: as many as hold their
 * share at a time.
 */
export class FairSlots<Waiter> {
  readonly #rules: FairSlotsRules<Waiter>;
  /** Accounts that hold slots, or wait for some. */
  readonly #accounts = new Map<number, Account<Waiter>>();
  /** Accounts of which somebody waits, first the one whose turn it is. */
  readonly #turns = new Set<Account<Waiter>>();
  #taken = 0;

  constructor(rules: FairSlotsRules<Waiter>) {
    this.#rules = rules;
  }

  /** How many an account holds. */
  takenBy(accountId: number): number {
    return this.#accounts.get(accountId)?.taken ?? 0;
  }

  /** How many one account may hold, as things stand. */
  get share(): number {
    return this.#rules.share(this.#taken);
  }

  /** Takes a slot, unless the account has its share already; answers whether it did. */
  take(accountId: number): boolean {
    if (this.takenBy(accountId) >= this.share) return false;
    this.#count(this.#account(accountId), 1);
    return true;
  }

  /** After `take` answered `false`: waits for a slot that is given back. */
  lineUp(accountId: number, waiter: Waiter): void {
    const account = this.#account(accountId);
    account.line ??= new Fifo();
    account.line.add(waiter);
    this.#turns.add(account);
  }

  /** Gives a slot back, and gives all that are free to those who wait. */
  giveBack(accountId: number): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    this.#count(account, -1);
    this.#serve();
    this.#forgetIfIdle(accountId, account);
  }

  /** Takes all who wait of an account out of the line. */
  dismiss(accountId: number): readonly Waiter[] {
    const account = this.#accounts.get(accountId);
    if (account === undefined || account.line === null) return [];
    const dismissed = [...account.line];
    account.line = null;
    this.#turns.delete(account);
    this.#forgetIfIdle(accountId, account);
    return dismissed;
  }

  #serve(): void {
    // An account that is put last meanwhile comes up again.
    for (const account of this.#turns) {
      const { share } = this;
      if (share === 0) return;
      if (account.taken < share) this.#serveNext(account);
    }
  }

  /** Begins the first of an account that is still wanted, and passes its turn on. */
  #serveNext(account: Account<Waiter>): void {
    this.#turns.delete(account);
    let waiter = account.line?.take();
    while (waiter !== undefined && !this.#begin(account, waiter)) waiter = account.line?.take();
    if (account.line?.isEmpty === false) this.#turns.add(account);
  }

  #begin(account: Account<Waiter>, waiter: Waiter): boolean {
    this.#count(account, 1);
    const isWanted = this.#rules.begin(waiter);
    if (!isWanted) this.#count(account, -1);
    return isWanted;
  }

  #count(account: Account<Waiter>, slots: 1 | -1): void {
    account.taken += slots;
    this.#taken += slots;
  }

  #forgetIfIdle(accountId: number, account: Account<Waiter>): void {
    if (account.taken === 0 && !this.#turns.has(account)) this.#accounts.delete(accountId);
  }

  #account(accountId: number): Account<Waiter> {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const account: Account<Waiter> = { taken: 0, line: null };
    this.#accounts.set(accountId, account);
    return account;
  }
}
