import type { Claim, ClaimRequest } from '../../delivery-store.ts';
import { type Deadline, type EngineCalls, placeOf } from '../engine-calls.ts';
import type { FoundRow } from '../storage-engine.ts';
import type { AccountRows } from './account-rows.ts';
import { type AccountClaim, claimAttempts } from './claim-attempts.ts';
import { ACCOUNTS_DUE, ACCOUNTS_SAVED, accountIn, SET_BACK_MS } from './stored-account.ts';

/** How many accounts one look over all of them answers. */
const ACCOUNTS_AT_ONCE = 100;

/** From how many accounts a claim takes at a time, which share its capacity: a round trip is not waited for in turn. */
const CLAIMED_AT_ONCE = 4;

type OfAccount = <Result>(
  accountId: number,
  transition: (account: AccountRows) => Promise<Result>,
  deadline: Deadline,
) => Promise<Result>;

/** One claim: the accounts first that have waited longest, each in a transaction of its own. */
export class ClaimOverAccounts {
  readonly #calls: EngineCalls;
  readonly #request: ClaimRequest;
  readonly #deadline: Deadline;
  readonly #claims: AccountClaim[] = [];
  /** When to look at accounts that this claim leaves alone, ms. */
  readonly #leftAtMs: number[] = [];

  constructor(calls: EngineCalls, request: ClaimRequest) {
    this.#calls = calls;
    this.#request = request;
    this.#deadline = calls.newDeadline();
  }

  async run(ofAccount: OfAccount): Promise<Claim> {
    const limit = Math.min(this.#request.limit, ACCOUNTS_AT_ONCE);
    const [found, foundAtMs] = await Promise.all([
      this.#calls.find(ACCOUNTS_DUE, { limit: limit + 1 }, this.#deadline),
      this.#calls.now(this.#deadline),
    ]);
    const isDue = (row: FoundRow) => dueAtMs(row) <= foundAtMs;
    this.#leftAtMs.push(...found.filter((row) => !isDue(row)).map(dueAtMs));
    await this.#claimFrom(found.filter(isDue), ofAccount);
    if (this.#capacity > 0) {
      // Their times were those of a clock that was set back since.
      const from = placeOf(foundAtMs + SET_BACK_MS + 1);
      const late = await this.#calls.find(ACCOUNTS_SAVED, { from, limit }, this.#deadline);
      await this.#claimFrom(late, ofAccount);
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

  async #claimFrom(found: readonly FoundRow[], ofAccount: OfAccount): Promise<void> {
    for (let nth = 0; nth < found.length; ) {
      const width = Math.min(found.length - nth, this.#capacity, CLAIMED_AT_ONCE);
      const wave = found.slice(nth, nth + width);
      nth += width;
      if (width === 0 || !(await this.#claimFromEach(wave, ofAccount))) {
        this.#leftAtMs.push(...found.slice(nth).map(dueAtMs));
        return;
      }
    }
  }

  /** Answers whether none has failed. */
  async #claimFromEach(wave: readonly FoundRow[], ofAccount: OfAccount): Promise<boolean> {
    const request = { ...this.#request, limit: Math.floor(this.#capacity / wave.length) };
    const claim = (account: AccountRows) => claimAttempts(account, request);
    const settled = await Promise.allSettled(
      wave.map((row) => ofAccount(accountIn(row).accountId, claim, this.#deadline)),
    );
    for (const each of settled) if (each.status === 'fulfilled') this.#claims.push(each.value);
    const failed = settled.find((each) => each.status === 'rejected');
    if (failed === undefined) return true;
    // What was leased is handed out; the next claim, at once, meets the fault if it lasts.
    const isNothing = this.#claims.every(
      ({ attempts, poisoned }) => attempts.length === 0 && poisoned.length === 0,
    );
    if (isNothing) throw failed.reason;
    this.#leftAtMs.push(0);
    return false;
  }
}

function dueAtMs({ indexes }: FoundRow): number {
  return Number.parseInt(indexes[ACCOUNTS_DUE] ?? '0', 10);
}
