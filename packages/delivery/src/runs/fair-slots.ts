import { Fifo } from './fifo.ts';

/** What the slots are shared by. */
export interface FairSlotsRules<Waiter> {
  /** How many slots one account may hold where `inUse` are held by all; 0: nobody may acquire one more. */
  readonly share: (inUse: number) => number;
  /** Called when a slot was acquired for who waited. Answers `false` where it is no longer wanted: it is free again. */
  readonly begin: (waiter: Waiter) => boolean;
}

interface Account<Waiter> {
  inUse: number;
  /** `null` until somebody waits: most never do. */
  waiters: Fifo<Waiter> | null;
}

/**
 * Slots that accounts share. Who finds none may wait: first come, first served within an account, and accounts take
 * turns. An account that holds its share is passed over, and keeps its turn. Shares that grow by themselves are noticed
 * as the next slot is released.
 *
 * Every operation takes constant time, however many wait, plus one step for each account that holds its share.
 */
export class FairSlots<Waiter> {
  readonly #rules: FairSlotsRules<Waiter>;
  /** Accounts that hold slots, or wait for some. */
  readonly #accounts = new Map<number, Account<Waiter>>();
  /** Accounts of which somebody waits, first the one whose turn it is. */
  readonly #turns = new Set<Account<Waiter>>();
  #inUse = 0;

  constructor(rules: FairSlotsRules<Waiter>) {
    this.#rules = rules;
  }

  /** How many an account holds. */
  inUseBy(accountId: number): number {
    return this.#accounts.get(accountId)?.inUse ?? 0;
  }

  /** How many one account may hold, as things stand. */
  get share(): number {
    return this.#rules.share(this.#inUse);
  }

  /** Acquires a slot, unless the account has its share already; answers whether it did. */
  tryAcquire(accountId: number): boolean {
    const account = this.#accounts.get(accountId);
    if ((account?.inUse ?? 0) >= this.share) return false;
    this.#count(account ?? this.#open(accountId), 1);
    return true;
  }

  /** After `tryAcquire` answered `false`: waits for a slot that is released. */
  addWaiter(accountId: number, waiter: Waiter): void {
    const account = this.#accounts.get(accountId) ?? this.#open(accountId);
    account.waiters ??= new Fifo();
    account.waiters.add(waiter);
    this.#turns.add(account);
  }

  /** Releases a slot, and gives all that are free to those who wait. */
  release(accountId: number): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    this.#count(account, -1);
    this.#serve();
    this.#forgetIfIdle(accountId, account);
  }

  /** Has none of an account wait any longer; answers who did. */
  dismiss(accountId: number): readonly Waiter[] {
    const account = this.#accounts.get(accountId);
    if (account === undefined || account.waiters === null) return [];
    const dismissed = [...account.waiters];
    account.waiters = null;
    this.#turns.delete(account);
    this.#forgetIfIdle(accountId, account);
    return dismissed;
  }

  #serve(): void {
    // An account that is put last meanwhile comes up again.
    for (const account of this.#turns) {
      const { share } = this;
      if (share === 0) return;
      if (account.inUse < share) this.#serveNext(account);
    }
  }

  /** Begins the first of an account that is still wanted, and passes its turn on. */
  #serveNext(account: Account<Waiter>): void {
    this.#turns.delete(account);
    let waiter = account.waiters?.take();
    while (waiter !== undefined && !this.#begin(account, waiter)) waiter = account.waiters?.take();
    if (account.waiters?.isEmpty === false) this.#turns.add(account);
  }

  #begin(account: Account<Waiter>, waiter: Waiter): boolean {
    this.#count(account, 1);
    const isWanted = this.#rules.begin(waiter);
    if (!isWanted) this.#count(account, -1);
    return isWanted;
  }

  #count(account: Account<Waiter>, slots: 1 | -1): void {
    account.inUse += slots;
    this.#inUse += slots;
  }

  #forgetIfIdle(accountId: number, account: Account<Waiter>): void {
    if (account.inUse === 0 && !this.#turns.has(account)) this.#accounts.delete(accountId);
  }

  #open(accountId: number): Account<Waiter> {
    const account: Account<Waiter> = { inUse: 0, waiters: null };
    this.#accounts.set(accountId, account);
    return account;
  }
}
