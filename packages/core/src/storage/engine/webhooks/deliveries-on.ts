import type {
  AttemptEnd,
  Claim,
  ClaimRequest,
  CompletedAttempt,
  DeliveryStore,
  QueueStats,
} from '../../delivery-store.ts';
import { type Deadline, type EngineCalls, placeOf } from '../engine-calls.ts';
import type { FoundRow } from '../storage-engine.ts';
import {
  ACCOUNTS_DUE,
  ACCOUNTS_SAVED,
  AccountRows,
  accountIn,
  SET_BACK_MS,
  type StoredAccount,
} from './account-rows.ts';
import { type AccountClaim, claimAttempts } from './claim-attempts.ts';
import { completeAttempts } from './complete-attempts.ts';
import type { DueHints } from './due-hints.ts';
import { listDeliveries } from './list-deliveries.ts';
import { publishMessage } from './publish-message.ts';
import { redeliver, redeliverFailed } from './redeliver.ts';
import { accountPartition } from './stored-webhook.ts';

/** How many accounts one look over all of them answers. */
const ACCOUNTS_AT_ONCE = 100;

/** From how many accounts a claim takes at a time, which share its capacity: a round trip is not waited for in turn. */
const CLAIMED_AT_ONCE = 4;

/**
 * Deliveries on an engine. A partition holds all of an account's webhooks, and each transition is a transaction of one:
 *
 * - `account`: one row, while anything waits or is in flight: how much, and by when to look at it, which is the index
 *   `account-due` over all partitions. A claim finds accounts by it, and decides in a transaction of each.
 * - one per webhook: settings, secrets, and the queue with its counts and the window of its rate; in the index `due` by
 *   when it can start something.
 * - one per message, with the body; one per idempotency key. Both expire.
 * - one per delivery, in the index `log`, and in `fresh`, `retry`, `lease` or `failed` by what it waits for.
 *
 * What waits for a first try is counted by sequences, and each look at a queue reads no more rows than it takes, and one:
 * so that no cost follows the backlog. What has expired is met by nobody, and counted until a look comes past it.
 */
export function deliveriesOn(calls: EngineCalls, hints: DueHints): DeliveryStore {
  function ofAccount<Result>(
    accountId: number,
    transition: (account: AccountRows) => Promise<Result>,
    deadline?: Deadline,
  ): Promise<Result> {
    return calls.transact(
      accountPartition(accountId),
      async (rows, nowMs) => transition(await AccountRows.open(rows, nowMs, accountId)),
      deadline,
    );
  }

  return {
    async publish(message) {
      const published = await ofAccount(message.accountId, (account) =>
        publishMessage(account, message),
      );
      if (published.outcome === 'published' && published.deliveries > 0) hints.give();
      return published;
    },

    claim: (request) => new ClaimOverAccounts(calls, request).run(ofAccount),

    async complete(ends, limits) {
      const deadline = calls.newDeadline();
      const outcomes: CompletedAttempt[] = Array.from(ends, () => ({ outcome: 'stale' }));
      await Promise.all(
        Array.from(byAccount(ends), async ([accountId, nths]) => {
          const some = nths.flatMap((nth) => ends[nth] ?? []);
          const completed = await ofAccount(
            accountId,
            (account) => completeAttempts(account, some, limits),
            deadline,
          );
          for (const [nth, outcome] of completed.entries()) outcomes[nths[nth] ?? nth] = outcome;
        }),
      );
      return outcomes;
    },

    async redeliver(ref) {
      const answer = await ofAccount(ref.accountId, (account) => redeliver(account, ref));
      if (answer.outcome === 'due') hints.give();
      return answer;
    },

    async redeliverFailed(ref, request) {
      const answer = await ofAccount(ref.accountId, (account) =>
        redeliverFailed(account, ref, request),
      );
      if (answer !== null && answer.count > 0) hints.give();
      return answer;
    },

    list: (ref, page) =>
      calls.transact(accountPartition(ref.accountId), (rows, nowMs) =>
        listDeliveries(AccountRows.toRead(rows, nowMs, ref.accountId), ref, page),
      ),

    stats: () => statsOf(calls),
    subscribe: (onDue) => hints.subscribe(onDue),
  };
}

type OfAccount = <Result>(
  accountId: number,
  transition: (account: AccountRows) => Promise<Result>,
  deadline: Deadline,
) => Promise<Result>;

/** One claim: the accounts first that have waited longest, each in a transaction of its own. */
class ClaimOverAccounts {
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

function byAccount(ends: readonly AttemptEnd[]): ReadonlyMap<number, readonly number[]> {
  const nths = new Map<number, number[]>();
  for (const [nth, { accountId }] of ends.entries()) {
    nths.set(accountId, [...(nths.get(accountId) ?? []), nth]);
  }
  return nths;
}

/** Counts account by account, each as a whole. */
async function statsOf(calls: EngineCalls): Promise<QueueStats> {
  const accounts = new Map<number, StoredAccount>();
  const nowMs = await calls.now();
  for (let from: string | undefined = ''; from !== undefined; ) {
    const found: readonly FoundRow[] = await calls.find(ACCOUNTS_DUE, {
      from,
      limit: ACCOUNTS_AT_ONCE + 1,
    });
    for (const row of found.slice(0, ACCOUNTS_AT_ONCE)) {
      const account = accountIn(row);
      accounts.set(account.accountId, account);
    }
    from = found[ACCOUNTS_AT_ONCE]?.indexes[ACCOUNTS_DUE];
  }
  let pending = 0;
  let oldestDueAgeMs = 0;
  for (const { waiting, inFlight, isCapped, dueAtMs: atMs } of accounts.values()) {
    pending += waiting + inFlight;
    if (!isCapped && atMs !== null) oldestDueAgeMs = Math.max(oldestDueAgeMs, nowMs - atMs);
  }
  return { pending, oldestDueAgeMs };
}
