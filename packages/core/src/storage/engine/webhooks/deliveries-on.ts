import type { AccountId } from '../../../account-id.ts';
import { accountName } from '../../../account-name.ts';
import { completeInGroups } from '../../complete-in-groups.ts';
import type { DeliveryStore, QueueStats } from '../../delivery-store.ts';
import type { DueNotifier } from '../../due-notifier.ts';
import type { EngineCalls } from '../engine-calls.ts';
import type { FoundRow } from '../storage-engine.ts';
import { readAccount, withAccount } from './account-rows.ts';
import { ClaimOverAccounts } from './claim-over-accounts.ts';
import { completeAttempts } from './complete-attempts.ts';
import { listDeliveries } from './list-deliveries.ts';
import { publishMessage } from './publish-message.ts';
import { redeliver, redeliverFailed } from './redeliver.ts';
import {
  ACCOUNTS_DUE,
  accountIn,
  isAccountDue,
  type StoredAccount,
  TRANSACTIONS_AT_ONCE,
} from './stored-account.ts';

/** How many attempts one transaction completes at most: a database may limit the rows that a transaction writes. */
const MAX_ENDED = 30;
/** How many accounts `stats` reads at a time. */
const ACCOUNTS_PER_PAGE = 100;

/**
 * Deliveries on an engine. A partition has all webhooks of an account, and each transition is a transaction of one
 * partition. Its rows are:
 *
 * - `account`: one row, while anything waits or is in flight. It has the counts and, in the index `account-due` over
 *   all partitions, the time of the next claim. A claim finds accounts by this index, and then runs a transaction in
 *   each of their partitions.
 * - one per webhook: settings, secrets, and the queue with its counts and its rate window; in the index `due`, sorted
 *   by the time from which the webhook can start an attempt.
 * - one per message, with the body; one per idempotency key. Both expire.
 * - one per delivery, in the index `log`, and in `fresh`, `retry`, `lease` or `failed`, depending on its state.
 *
 * The deliveries that wait for their first attempt are counted by subtracting sequences, and a claim reads one row more
 * than it takes, so no cost grows with the backlog. Expired deliveries are never claimed, but counted until a claim
 * reaches them. If very many have expired at once, each call deletes some, and may find fewer deliveries than there
 * are; the queue stays due.
 */
export function deliveriesOn(calls: EngineCalls, notifier: DueNotifier): DeliveryStore {
  return {
    async publish(message) {
      const { published, isDue } = await withAccount(calls, message.accountId, async (account) => ({
        published: await publishMessage(account, message),
        isDue: isAccountDue(account.state, account.nowMs),
      }));
      const isEnqueued = published.outcome === 'published' && published.deliveries > 0;
      // At a limit a claim would return nothing. The completion of the attempt that has reached the limit notifies.
      if (isEnqueued && isDue) notifier.notify();
      return published;
    },

    claim: (request) => new ClaimOverAccounts(calls, request).run(),

    complete(ends, limits) {
      const deadline = calls.newDeadline();
      const counts = new Map<AccountId, number>();
      return completeInGroups(ends, {
        // The attempts of one account, in groups of `MAX_ENDED`.
        groupOf({ accountId }) {
          const i = counts.get(accountId) ?? 0;
          counts.set(accountId, i + 1);
          return `${accountName(accountId)} ${Math.floor(i / MAX_ENDED)}`;
        },
        concurrency: TRANSACTIONS_AT_ONCE,
        async completeGroup(_, group) {
          const [first] = group;
          if (first === undefined) return [];
          const { completed, isDue } = await withAccount(
            calls,
            first.accountId,
            (account) => completeAttempts(account, group, limits),
            deadline,
          );
          // A claim that ran in parallel may have found no permit for deliveries that wait.
          if (isDue) notifier.notify();
          return completed;
        },
      });
    },

    async redeliver(ref) {
      const result = await withAccount(calls, ref.accountId, (account) => redeliver(account, ref));
      if (result.outcome === 'due') notifier.notify();
      return result;
    },

    async redeliverFailed(ref, request) {
      const result = await withAccount(calls, ref.accountId, (account) =>
        redeliverFailed(account, ref, request),
      );
      if (result !== null && result.count > 0) notifier.notify();
      return result;
    },

    list: (ref, page) =>
      readAccount(calls, ref.accountId, (account) => listDeliveries(account, ref, page)),

    stats: () => statsOf(calls),
    subscribe: (onDue) => notifier.subscribe(onDue),
  };
}

/** Counts the backlog of each account. The counts of one account are consistent, the total need not be. */
async function statsOf(calls: EngineCalls): Promise<QueueStats> {
  const accounts = new Map<AccountId, StoredAccount>();
  const nowMs = await calls.now();
  let from: string | undefined = '';
  while (from !== undefined) {
    const rows: readonly FoundRow[] = await calls.find(ACCOUNTS_DUE, {
      from,
      limit: ACCOUNTS_PER_PAGE + 1,
    });
    for (const row of rows.slice(0, ACCOUNTS_PER_PAGE)) {
      const account = accountIn(row);
      accounts.set(account.accountId, account);
    }
    from = rows[ACCOUNTS_PER_PAGE]?.indexes[ACCOUNTS_DUE];
  }
  let pending = 0;
  let oldestDueAgeMs = 0;
  for (const { waiting, inFlight, isCapped, dueAtMs } of accounts.values()) {
    pending += waiting + inFlight;
    if (isCapped || dueAtMs === null) continue;
    oldestDueAgeMs = Math.max(oldestDueAgeMs, nowMs - dueAtMs);
  }
  return { pending, oldestDueAgeMs };
}
