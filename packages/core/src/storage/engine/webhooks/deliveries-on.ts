import type { AccountId } from '../../../account-id.ts';
import { completeByPlace } from '../../complete-by-place.ts';
import type { DeliveryStore, QueueStats } from '../../delivery-store.ts';
import type { Deadline, EngineCalls } from '../engine-calls.ts';
import type { FoundRow } from '../storage-engine.ts';
import { AccountRows, withAccount } from './account-rows.ts';
import { ClaimOverAccounts } from './claim-over-accounts.ts';
import { completeAttempts } from './complete-attempts.ts';
import type { DueNotifier } from './due-notifier.ts';
import { listDeliveries } from './list-deliveries.ts';
import { publishMessage } from './publish-message.ts';
import { redeliver, redeliverFailed } from './redeliver.ts';
import {
  ACCOUNTS_DUE,
  accountIn,
  accountPartition,
  type StoredAccount,
  TRANSACTIONS_AT_ONCE,
} from './stored-account.ts';

/** How many attempts end in one transaction at most: a database may limit what one writes. */
const MAX_ENDED = 30;
/** How many accounts `stats` reads at a time. */
const ACCOUNTS_PER_PAGE = 100;

/**
 * Deliveries on an engine. A partition has all webhooks of an account, and each transition is a transaction of one
 * partition. Its rows are:
 *
 * - `account`: one row, while anything waits or is in flight. It has the counts and, in the index `account-due` over
 *   all partitions, the time of the next claim. A claim finds accounts by this index, and decides in a transaction of
 *   each.
 * - one per webhook: settings, secrets, and the queue with its counts and its rate window; in the index `due` by when
 *   it can start an attempt.
 * - one per message, with the body; one per idempotency key. Both expire.
 * - one per delivery, in the index `log`, and in `fresh`, `retry`, `lease` or `failed`, depending on its state.
 *
 * The deliveries that wait for their first attempt are counted by subtracting sequences, and a claim reads one row more
 * than it takes, so no cost depends on the backlog. Expired deliveries are never claimed, but counted until a claim
 * reaches them.
 */
export function deliveriesOn(calls: EngineCalls, notifier: DueNotifier): DeliveryStore {
  function ofAccount<Result>(
    accountId: AccountId,
    transition: (account: AccountRows) => Promise<Result>,
    deadline?: Deadline,
  ): Promise<Result> {
    return withAccount(calls, accountId, transition, deadline);
  }

  return {
    async publish(message) {
      const published = await ofAccount(message.accountId, (account) =>
        publishMessage(account, message),
      );
      if (published.outcome === 'published' && published.deliveries > 0) notifier.notify();
      return published;
    },

    claim: (request) => new ClaimOverAccounts(calls, request).run(ofAccount),

    complete(ends, limits) {
      const deadline = calls.newDeadline();
      const counts = new Map<AccountId, number>();
      return completeByPlace(ends, {
        placeOf({ accountId }) {
          const i = counts.get(accountId) ?? 0;
          counts.set(accountId, i + 1);
          return `${accountPartition(accountId)} ${Math.floor(i / MAX_ENDED)}`;
        },
        atOnce: TRANSACTIONS_AT_ONCE,
        async complete(_, here) {
          const [first] = here;
          if (first === undefined) return [];
          const { completed, isDue } = await ofAccount(
            first.accountId,
            (account) => completeAttempts(account, here, limits),
            deadline,
          );
          // A claim that ran in parallel may have found no permit for what waits.
          if (isDue) notifier.notify();
          return completed;
        },
      });
    },

    async redeliver(ref) {
      const answer = await ofAccount(ref.accountId, (account) => redeliver(account, ref));
      if (answer.outcome === 'due') notifier.notify();
      return answer;
    },

    async redeliverFailed(ref, request) {
      const answer = await ofAccount(ref.accountId, (account) =>
        redeliverFailed(account, ref, request),
      );
      if (answer !== null && answer.count > 0) notifier.notify();
      return answer;
    },

    list: (ref, page) =>
      calls.transact(accountPartition(ref.accountId), (rows, nowMs) =>
        listDeliveries(AccountRows.toRead(rows, nowMs, ref.accountId), ref, page),
      ),

    stats: () => statsOf(calls),
    subscribe: (onDue) => notifier.subscribe(onDue),
  };
}

/** Counts account by account; each account is consistent by itself. */
async function statsOf(calls: EngineCalls): Promise<QueueStats> {
  const accounts = new Map<AccountId, StoredAccount>();
  const nowMs = await calls.now();
  for (let from: string | undefined = ''; from !== undefined; ) {
    const found: readonly FoundRow[] = await calls.find(ACCOUNTS_DUE, {
      from,
      limit: ACCOUNTS_PER_PAGE + 1,
    });
    for (const row of found.slice(0, ACCOUNTS_PER_PAGE)) {
      const account = accountIn(row);
      accounts.set(account.accountId, account);
    }
    from = found[ACCOUNTS_PER_PAGE]?.indexes[ACCOUNTS_DUE];
  }
  let pending = 0;
  let oldestDueAgeMs = 0;
  for (const { waiting, inFlight, isCapped, dueAtMs: atMs } of accounts.values()) {
    pending += waiting + inFlight;
    if (!isCapped && atMs !== null) oldestDueAgeMs = Math.max(oldestDueAgeMs, nowMs - atMs);
  }
  return { pending, oldestDueAgeMs };
}
