import { performance } from 'node:perf_hooks';
import type { AccountId } from '@latchhook/core';
import { SendFault } from './send-fault.ts';
import type { SendError } from './send-result.ts';

/** The budget of an endpoint, and of an account, in bytes. */
const ENDPOINT_BYTES = 32_768;
const ACCOUNT_BYTES = 524_288;
/** How long it takes to refill a whole budget, ms. */
const REFILL_MS = 60_000;
/** Charges are capped at this multiple of the budget. */
const MAX_CHARGED = 10;
/** How many endpoints, and how many accounts, the charges are kept for. */
const MAX_KEYS = 1_000;

/** The keys of the two budgets to which a connection is charged. */
export interface BudgetKeys {
  /** Host and port. */
  readonly endpoint: string;
  /** The owner of the webhook. */
  readonly accountId: AccountId;
}

/** The charges of one connection. */
export interface ConnectionCharges {
  /** @param cause - the error of the connections that are rejected while the budget is exceeded */
  add(bytes: number, cause: SendError): void;
  close(): void;
}

/**
 * Limits the CPU time that hostile receivers cost. Bytes that this process has parsed or verified for nothing are
 * charged to the endpoint and to the account. While an endpoint exceeds its budget of 32 KiB, or an account its 512
 * KiB, it gets no new connection; a budget refills within a minute. A budget only for endpoints could be evaded by an
 * account that uses a new host for each delivery.
 */
export class ReceiverBudget {
  readonly #endpoints = new ByteBudget<string>(ENDPOINT_BYTES);
  readonly #accounts = new ByteBudget<AccountId>(ACCOUNT_BYTES);
  /** By open connection, checks whether it is still within the budgets. */
  readonly #checks = new Map<ConnectionCharges, () => void>();

  /** Why no connection may be opened; `null`: it is allowed. */
  rejection({ endpoint, accountId }: BudgetKeys): SendFault | null {
    const cause = this.#endpoints.excessOf(endpoint) ?? this.#accounts.excessOf(accountId);
    return cause === null ? null : new SendFault(cause);
  }

  /** @param reject - called when charges of other connections exceed a budget of these keys while this one is open */
  open(keys: BudgetKeys, reject: (fault: SendFault) => void): ConnectionCharges {
    const charges: ConnectionCharges = {
      add: (bytes, cause) => {
        this.#endpoints.charge(keys.endpoint, bytes, cause);
        this.#accounts.charge(keys.accountId, bytes, cause);
        if (this.rejection(keys) === null) return;
        // Each other open connection could cost as much again. The cost of this connection is already spent, and it may
        // still succeed.
        for (const [other, check] of this.#checks) if (other !== charges) check();
      },
      close: () => void this.#checks.delete(charges),
    };
    this.#checks.set(charges, () => {
      const fault = this.rejection(keys);
      if (fault !== null) reject(fault);
    });
    return charges;
  }
}

/** A budget of bytes for each key, which refills over time. */
class ByteBudget<Key> {
  readonly #allowedBytes: number;
  /** By key, least recently charged first. */
  readonly #charges = new Map<Key, { bytes: number; atMs: number; cause: SendError }>();

  constructor(allowedBytes: number) {
    this.#allowedBytes = allowedBytes;
  }

  /** The cause of the last charge if the budget is exceeded; `null`: it is not. */
  excessOf(key: Key): SendError | null {
    const cause = this.#charges.get(key)?.cause ?? null;
    return this.#chargedTo(key) > this.#allowedBytes ? cause : null;
  }

  charge(key: Key, chargedBytes: number, cause: SendError): void {
    const bytes = Math.min(this.#chargedTo(key) + chargedBytes, this.#allowedBytes * MAX_CHARGED);
    this.#charges.delete(key);
    this.#charges.set(key, { bytes, atMs: performance.now(), cause });
    const [oldest] = this.#charges.keys();
    if (this.#charges.size > MAX_KEYS && oldest !== undefined) this.#charges.delete(oldest);
  }

  #chargedTo(key: Key): number {
    const { bytes, atMs } = this.#charges.get(key) ?? { bytes: 0, atMs: 0 };
    const refilled = ((performance.now() - atMs) / REFILL_MS) * this.#allowedBytes;
    return Math.max(bytes - refilled, 0);
  }
}
