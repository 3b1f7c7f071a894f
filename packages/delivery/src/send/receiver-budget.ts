import { performance } from 'node:perf_hooks';
import type { AccountId } from '@latchhook/core';
import { SendFault } from './send-fault.ts';
import type { SendError } from './send-result.ts';

/** What an endpoint, and an account, may owe, in bytes. */
const [ENDPOINT_BYTES, ACCOUNT_BYTES] = [32_768, 524_288];
/** In how long as much is paid off, ms; and how many times as much is remembered. */
const [PAID_OFF_MS, MAX_DEBT] = [60_000, 10];
/** How many debtors are remembered. */
const MAX_DEBTORS = 1_000;

/** Who pays for what a receiver costs. */
export interface ReceiverParties {
  /** Host and port. */
  readonly endpoint: string;
  /** Whose webhook it is for. */
  readonly accountId: AccountId;
}

/** What a connection is charged by. */
export interface Tab {
  /** @param cause - what connections fail with that are rejected for it */
  charge(bytes: number, cause: SendError): void;
  close(): void;
}

/**
 * Bounds what hostile receivers cost: bytes that this process has worked through for nothing are charged to their
 * endpoint and their account; who owes more than 32 KiB, or 512 as an account, gets no new connection, and a minute
 * pays off as much. By endpoint alone, an account that named a new host before each delivery could go on without end.
 */
export class ReceiverBudget {
  readonly #endpoints = new Debts<string>(ENDPOINT_BYTES);
  readonly #accounts = new Debts<AccountId>(ACCOUNT_BYTES);
  /** Looks whether a connection is still allowed. */
  readonly #looks = new Map<Tab, () => void>();

  /** Why no connection is made for them; `null`: it may be. */
  rejection({ endpoint, accountId }: ReceiverParties): SendFault | null {
    const cause = this.#endpoints.excessOf(endpoint) ?? this.#accounts.excessOf(accountId);
    return cause === null ? null : new SendFault(cause);
  }

  /** @param reject - called if its parties come to owe too much by other connections while it is open */
  open(parties: ReceiverParties, reject: (fault: SendFault) => void): Tab {
    const tab: Tab = {
      charge: (bytes, cause) => {
        this.#endpoints.charge(parties.endpoint, bytes, cause);
        this.#accounts.charge(parties.accountId, bytes, cause);
        if (this.rejection(parties) === null) return;
        // Each of these could cost as much again. The one that is charged has had its cost, and may still succeed.
        for (const [other, look] of this.#looks) if (other !== tab) look();
      },
      close: () => void this.#looks.delete(tab),
    };
    this.#looks.set(tab, () => {
      const fault = this.rejection(parties);
      if (fault !== null) reject(fault);
    });
    return tab;
  }
}

/** What debtors owe, which time pays off. */
class Debts<Debtor> {
  readonly #allowedBytes: number;
  /** The one that was charged longest ago is first. */
  readonly #debts = new Map<Debtor, { bytes: number; atMs: number; cause: SendError }>();

  constructor(allowedBytes: number) {
    this.#allowedBytes = allowedBytes;
  }

  /** What it was charged for last if it owes too much. */
  excessOf(debtor: Debtor): SendError | null {
    const cause = this.#debts.get(debtor)?.cause ?? null;
    return this.#owedBy(debtor) > this.#allowedBytes ? cause : null;
  }

  charge(debtor: Debtor, chargedBytes: number, cause: SendError): void {
    const bytes = Math.min(this.#owedBy(debtor) + chargedBytes, this.#allowedBytes * MAX_DEBT);
    this.#debts.delete(debtor);
    this.#debts.set(debtor, { bytes, atMs: performance.now(), cause });
    const [first] = this.#debts.keys();
    if (this.#debts.size > MAX_DEBTORS && first !== undefined) this.#debts.delete(first);
  }

  #owedBy(debtor: Debtor): number {
    const { bytes, atMs } = this.#debts.get(debtor) ?? { bytes: 0, atMs: 0 };
    const paidOff = ((performance.now() - atMs) / PAID_OFF_MS) * this.#allowedBytes;
    return Math.max(bytes - paidOff, 0);
  }
}
