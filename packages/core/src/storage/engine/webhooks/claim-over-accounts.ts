import { StorageUnavailableError } from '../../../errors.ts';
import type { Claim, ClaimRequest } from '../../delivery-store.ts';
import { type Deadline, type EngineCalls, sortKeyOf } from '../engine-calls.ts';
import type { FoundRow } from '../storage-engine.ts';
import { type AccountRows, withAccount } from './account-rows.ts';
import { type AccountClaim, claimAttempts } from './claim-attempts.ts';
import {
  ACCOUNTS_DUE,
  ACCOUNTS_SAVED,
  accountIn,
  earliestOf,
  SET_BACK_MS,
  TRANSACTIONS_AT_ONCE,
} from './stored-account.ts';

/** How many accounts a claim finds at most. */
const ACCOUNTS_PER_PAGE = 100;

/**
 * For how long a claim that has leased attempts goes on to more accounts, ms. The attempts begin only once it has
 * ended, and those that would begin too late are returned.
 */
const CLAIM_MS = 50;

/**
 * One claim over several accounts, the longest-waiting first, each in its own transaction. The transactions of a wave
 * run in parallel and share the capacity.
 */
export class ClaimOverAccounts {
  readonly #calls: EngineCalls;
  readonly #request: ClaimRequest;
  readonly #deadline: Deadline;
  readonly #beganAtMs = performance.now();
  readonly #claims: AccountClaim[] = [];
  /** When the accounts that this claim skips are due, ms. */
  readonly #skippedAtMs: number[] = [];

  constructor(calls: EngineCalls, request: ClaimRequest) {
    this.#calls = calls;
    this.#request = request;
    this.#deadline = calls.newDeadline();
  }

  async run(): Promise<Claim> {
    const limit = Math.min(this.#request.limit, ACCOUNTS_PER_PAGE);
    const [rows, foundAtMs] = await Promise.all([
      this.#calls.find(ACCOUNTS_DUE, { limit: limit + 1 }, this.#deadline),
      this.#calls.now(this.#deadline),
    ]);
    const isDue = (row: FoundRow) => dueAtMs(row) <= foundAtMs;
    this.#skippedAtMs.push(...rows.filter((row) => !isDue(row)).map(dueAtMs));
    try {
      await this.#claimFrom(rows.filter(isDue));
      if (this.#capacity > 0) {
        // Accounts that were saved at a time in the future: the clock was set back since then.
        const from = sortKeyOf(foundAtMs + SET_BACK_MS + 1);
        const savedAhead = await this.#calls.find(ACCOUNTS_SAVED, { from, limit }, this.#deadline);
        await this.#claimFrom(savedAhead);
      }
    } catch (error) {
      // Attempts that are already leased must reach the caller. The next claim follows immediately, and rejects if the
      // failure persists.
      if (this.#isEmpty) throw error;
      this.#skippedAtMs.push(0);
    }
    const nowMs = this.#claims.at(-1)?.nowMs ?? foundAtMs;
    const nextAtMs = earliestOf([
      ...this.#claims.map((claim) => claim.nextAtMs),
      ...this.#skippedAtMs,
    ]);
    return {
      attempts: this.#claims.flatMap(({ attempts }) => attempts),
      poisoned: this.#claims.flatMap(({ poisoned }) => poisoned),
      nextInMs: nextAtMs === null ? null : Math.max(0, nextAtMs - nowMs),
    };
  }

  get #capacity(): number {
    return this.#claims.reduce(
      (limit, { attempts }) => limit - attempts.length,
      this.#request.limit,
    );
  }

  get #isEmpty(): boolean {
    return this.#claims.every(
      ({ attempts, poisoned }) => attempts.length === 0 && poisoned.length === 0,
    );
  }

  async #claimFrom(rows: readonly FoundRow[]): Promise<void> {
    let remaining = rows;
    while (remaining.length > 0 && this.#capacity > 0) {
      const wave = remaining.slice(0, Math.min(this.#capacity, TRANSACTIONS_AT_ONCE));
      remaining = remaining.slice(wave.length);
      await this.#claimFromEach(wave);
      if (!this.#isEmpty && performance.now() - this.#beganAtMs >= CLAIM_MS) break;
    }
    this.#skippedAtMs.push(...remaining.map(dueAtMs));
  }

  /** @throws the error of one transaction that has failed, once all have ended */
  async #claimFromEach(wave: readonly FoundRow[]): Promise<void> {
    const request = { ...this.#request, limit: Math.floor(this.#capacity / wave.length) };
    const settled = await Promise.allSettled(wave.map((row) => this.#claimFromOne(row, request)));
    for (const result of settled) {
      if (result.status === 'fulfilled') this.#claims.push(result.value);
    }
    const failed = settled.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async #claimFromOne(row: FoundRow, request: ClaimRequest): Promise<AccountClaim> {
    let isRejected = false;
    const claim = async (account: AccountRows): Promise<AccountClaim> => {
      const result = await claimAttempts(account, request);
      // Rolls back, because nobody would send the attempts.
      if (isRejected) throw new StorageUnavailableError('The claim has been rejected meanwhile.');
      return result;
    };
    try {
      return await withAccount(this.#calls, accountIn(row).accountId, claim, this.#deadline);
    } catch (error) {
      isRejected = true;
      throw error;
    }
  }
}

function dueAtMs({ indexes }: FoundRow): number {
  return Number.parseInt(indexes[ACCOUNTS_DUE] ?? '0', 10);
}
