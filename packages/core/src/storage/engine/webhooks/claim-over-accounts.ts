import type { AccountId } from '../../../account-id.ts';
import type { Claim, ClaimRequest } from '../../delivery-store.ts';
import { type Deadline, type EngineCalls, placeOf } from '../engine-calls.ts';
import type { FoundRow } from '../storage-engine.ts';
import type { AccountRows } from './account-rows.ts';
import { type AccountClaim, claimAttempts } from './claim-attempts.ts';
import {
  ACCOUNTS_DUE,
  ACCOUNTS_SAVED,
  accountIn,
  SET_BACK_MS,
  TRANSACTIONS_AT_ONCE,
} from './stored-account.ts';

/** How many accounts a claim finds at most. */
const ACCOUNTS_PER_PAGE = 100;

type OfAccount = <Result>(
  accountId: AccountId,
  transition: (account: AccountRows) => Promise<Result>,
  deadline: Deadline,
) => Promise<Result>;

/**
 * One claim over several accounts, the longest-waiting first, each in its own transaction. The transactions of a wave
 * run in parallel and share the capacity.
 */
export class ClaimOverAccounts {
  readonly #calls: EngineCalls;
  readonly #request: ClaimRequest;
  readonly #deadline: Deadline;
  readonly #claims: AccountClaim[] = [];
  /** When to claim from the accounts that this claim skips, ms. */
  readonly #leftAtMs: number[] = [];

  constructor(calls: EngineCalls, request: ClaimRequest) {
    this.#calls = calls;
    this.#request = request;
    this.#deadline = calls.newDeadline();
  }

  async run(ofAccount: OfAccount): Promise<Claim> {
    const limit = Math.min(this.#request.limit, ACCOUNTS_PER_PAGE);
    const [found, foundAtMs] = await Promise.all([
      this.#calls.find(ACCOUNTS_DUE, { limit: limit + 1 }, this.#deadline),
      this.#calls.now(this.#deadline),
    ]);
    const isDue = (row: FoundRow) => dueAtMs(row) <= foundAtMs;
    this.#leftAtMs.push(...found.filter((row) => !isDue(row)).map(dueAtMs));
    try {
      await this.#claimFrom(found.filter(isDue), ofAccount);
      if (this.#capacity > 0) {
        // Accounts whose times are ahead, as the clock was set back since they were saved.
        const from = placeOf(foundAtMs + SET_BACK_MS + 1);
        const late = await this.#calls.find(ACCOUNTS_SAVED, { from, limit }, this.#deadline);
        await this.#claimFrom(late, ofAccount);
      }
    } catch (error) {
      // Attempts that are already leased have to be returned. The next claim follows at once, and rejects if the
      // failure persists.
      if (this.#isEmpty) throw error;
      this.#leftAtMs.push(0);
    }
    const nowMs = this.#claims.at(-1)?.nowMs ?? foundAtMs;
    const nextAtMs = [...this.#claims.map((claim) => claim.nextAtMs), ...this.#leftAtMs];
    const known = nextAtMs.filter((atMs) => atMs !== null);
    return {
      attempts: this.#claims.flatMap(({ attempts }) => attempts),
      poisoned: this.#claims.flatMap(({ poisoned }) => poisoned),
      nextInMs: known.length === 0 ? null : Math.max(0, Math.min(...known) - nowMs),
    };
  }

  get #capacity(): number {
    return this.#claims.reduce((left, { attempts }) => left - attempts.length, this.#request.limit);
  }

  get #isEmpty(): boolean {
    return this.#claims.every(
      ({ attempts, poisoned }) => attempts.length === 0 && poisoned.length === 0,
    );
  }

  async #claimFrom(found: readonly FoundRow[], ofAccount: OfAccount): Promise<void> {
    for (let i = 0; i < found.length; ) {
      const width = Math.min(found.length - i, this.#capacity, TRANSACTIONS_AT_ONCE);
      const wave = found.slice(i, i + width);
      i += width;
      if (width === 0) {
        this.#leftAtMs.push(...found.slice(i).map(dueAtMs));
        return;
      }
      await this.#claimFromEach(wave, ofAccount);
    }
  }

  /** @throws the error of one transaction that has failed, once all have ended */
  async #claimFromEach(wave: readonly FoundRow[], ofAccount: OfAccount): Promise<void> {
    const request = { ...this.#request, limit: Math.floor(this.#capacity / wave.length) };
    const claim = (account: AccountRows) => claimAttempts(account, request);
    const settled = await Promise.allSettled(
      wave.map((row) => ofAccount(accountIn(row).accountId, claim, this.#deadline)),
    );
    for (const each of settled) if (each.status === 'fulfilled') this.#claims.push(each.value);
    const failed = settled.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

function dueAtMs({ indexes }: FoundRow): number {
  return Number.parseInt(indexes[ACCOUNTS_DUE] ?? '0', 10);
}
