import {
  adjustToCurrentUrl,
  disabledBy,
  endAttempt,
  type SentAttempt,
} from '../../decisions/end-of-attempt.ts';
import { queueAfterResult, queueNotDue } from '../../decisions/queue-state.ts';
import type { AttemptEnd, CompletedAttempt, CompleteLimits } from '../../delivery-store.ts';
import type { DisabledReason } from '../../webhook-store.ts';
import type { AccountRows } from './account-rows.ts';
import { isAccountDue } from './stored-account.ts';
import { isLeased, type StoredDelivery } from './stored-delivery.ts';
import type { StoredWebhook } from './stored-webhook.ts';

/** Completes attempts of one account, in the order of `ends`. `isDue`: another attempt of the account can start now. */
export async function completeAttempts(
  account: AccountRows,
  ends: readonly AttemptEnd[],
  limits: CompleteLimits,
): Promise<{ readonly completed: readonly CompletedAttempt[]; readonly isDue: boolean }> {
  const webhooks = await Promise.all(ends.map(({ webhookId }) => account.webhook(webhookId)));
  // Only reads all deliveries together; the result is unused, as each end may change the deliveries of later ends.
  await Promise.all(
    ends.map((end, nth) => {
      const queueId = webhooks[nth]?.queueId;
      return queueId && account.delivery({ queueId, ...end });
    }),
  );
  const completed: CompletedAttempt[] = [];
  for (const end of ends) completed.push(await completeAttempt(account, end, limits));
  await account.save();
  return { completed, isDue: isAccountDue(account.state, account.nowMs) };
}

/** Completes one attempt. Its lease is the fencing token: a worker whose lease has ended changes nothing. */
async function completeAttempt(
  account: AccountRows,
  end: AttemptEnd,
  limits: CompleteLimits,
): Promise<CompletedAttempt> {
  const current = await account.webhook(end.webhookId);
  if (current === null) return { outcome: 'stale' };
  const delivery = await account.delivery({ queueId: current.queueId, ...end });
  if (delivery === null || !isLeased(delivery)) return { outcome: 'stale' };
  const { attempt, claimedAtMs } = delivery.wait.lease;
  if (attempt !== end.attempt || claimedAtMs !== end.claimedAtMs) return { outcome: 'stale' };
  const webhook = account.endAttempt(current);
  if ('result' in end) {
    const { isMoved, adjusted } = adjustToCurrentUrl(end, webhook.record.url);
    const disabled = await applyResult(account, { webhook, delivery, sent: adjusted }, limits);
    return isMoved ? { outcome: 'moved' } : { outcome: 'completed', disabled };
  }
  await account.scheduleRetry(webhook, delivery, null);
  return { outcome: 'completed', disabled: null };
}

interface SentEnd {
  readonly webhook: StoredWebhook;
  readonly delivery: StoredDelivery;
  readonly sent: SentAttempt;
}

/** Applies the result of an attempt to its delivery and webhook. Returns the reason if it disables the webhook. */
async function applyResult(
  account: AccountRows,
  { webhook, delivery, sent }: SentEnd,
  { disableAfterMs }: CompleteLimits,
): Promise<DisabledReason | null> {
  const { nowMs } = account;
  const { attempt, claimedAtMs, createdAtMs, result, outcome, backoffMs } = sent;
  const { status, durationMs, error } = result;
  const endedAttempt = { attempt, startedAtMs: claimedAtMs, status, durationMs, error };
  const { progress, delayMs } = endAttempt(delivery.progress, endedAttempt, outcome);
  let changed = webhook;
  if (delayMs === null) await account.putDelivery({ ...delivery, progress, wait: null });
  else changed = await account.scheduleRetry(webhook, { ...delivery, progress }, nowMs + delayMs);
  const { record } = changed;
  const queue = queueAfterResult(changed.queue, outcome.kind, backoffMs, nowMs);
  account.putQueue(changed, queue);
  const isFailure = outcome.kind === 'retry' || outcome.kind === 'failed';
  if (!isFailure || record.disabledAtMs !== null) return null;
  // As before this attempt.
  const { failingSinceMs } = webhook.queue;
  const failure = { failingSinceMs, createdAtMs, outcome, disableAfterMs };
  const disabledReason = disabledBy(failure, nowMs);
  if (disabledReason !== null) {
    const disabled = { ...record, disabledAtMs: nowMs, disabledReason };
    account.putWebhook({ ...changed, record: disabled, queue: queueNotDue(queue) });
  }
  return disabledReason;
}
