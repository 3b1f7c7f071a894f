import type { AccountId } from '../../../account-id.ts';
import { completeByPlace } from '../../complete-by-place.ts';
import type { DeliveryStore, QueueStats } from '../../delivery-store.ts';
import type { Deadline, EngineCalls } from '../engine-calls.ts';
import type { FoundRow } from '../storage-engine.ts';
import { AccountRows, withAccount } from './account-rows.ts';
import { ClaimOverAccounts } from './claim-over-accounts.ts';
import { completeAttempts } from './complete-attempts.ts';
import type { DueHints } from './due-hints.ts';
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

/** How many accounts one look over all of them answers. */
const ACCOUNTS_AT_ONCE = 100;

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
 * What waits for a first try is counted by sequences, and a look at a queue reads one row more than it takes: no cost
 * follows the backlog. What has expired is met by nobody, and counted until a look comes past it.
 */
export function deliveriesOn(calls: EngineCalls, hints: DueHints): DeliveryStore {
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
      if (published.outcome === 'published' && published.deliveries > 0) hints.give();
      return published;
    },

    claim: (request) => new ClaimOverAccounts(calls, request).run(ofAccount),

    complete(ends, limits) {
      const deadline = calls.newDeadline();
      return completeByPlace(ends, {
        placeOf: ({ accountId }) => accountId,
        atOnce: TRANSACTIONS_AT_ONCE,
        async complete(accountId, here) {
          const { completed, isDue } = await ofAccount(
            accountId,
            (account) => completeAttempts(account, here, limits),
            deadline,
          );
          // The claim beside this completion has found no room for what waits.
          if (isDue) hints.give();
          return completed;
        },
      });
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

/** Counts account by account, each as a whole. */
async function statsOf(calls: EngineCalls): Promise<QueueStats> {
  const accounts = new Map<AccountId, StoredAccount>();
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
