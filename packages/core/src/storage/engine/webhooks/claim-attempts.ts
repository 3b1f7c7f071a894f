import { endStalledAttempt } from '../../decisions/end-of-attempt.ts';
import {
  type QueueState,
  queueWithNextStart,
  queueWithStarts,
  startsAllowed,
} from '../../decisions/queue-state.ts';
import { claimedAttempt, refOf } from '../../decisions/queued-delivery.ts';
import type { DeliveryRef } from '../../delivery-record.ts';
import type { ClaimedAttempt, ClaimRequest } from '../../delivery-store.ts';
import { sortKeyOf } from '../engine-calls.ts';
import { readValue } from '../row-values.ts';
import type { AccountRows } from './account-rows.ts';
import { messageKey, type StoredMessage } from './publish-message.ts';
import { QueueHead } from './queue-head.ts';
import { nextCheckAtMs } from './stored-account.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { StoredWebhook } from './stored-webhook.ts';

/** How many expired leases of an account a claim recovers at most: a database may limit what a transaction writes. */
const MAX_RECOVERED = 30;

/** The claim of one account. */
export interface AccountClaim {
  readonly attempts: readonly ClaimedAttempt[];
  readonly poisoned: readonly DeliveryRef[];
  /** When to claim from the account again, ms; `null`: not before something happens. */
  readonly nextAtMs: number | null;
  readonly nowMs: number;
}

/** Leases attempts of an account that may start now, from the webhooks that have waited longest first. */
export async function claimAttempts(
  account: AccountRows,
  request: ClaimRequest,
): Promise<AccountClaim> {
  const poisoned = await recoverStalled(account, request);
  const { inFlight } = account.state;
  let capacity = Math.min(request.limit, request.maxInFlightPerAccount - inFlight);
  // Each webhook is claimed from once. If it is immediately due again, it waits for the next call.
  const page = { before: sortKeyOf(account.nowMs + 1), limit: capacity };
  const dueWebhooks = capacity > 0 ? await account.webhooks('due', page) : [];
  const taken: TakenDeliveries[] = [];
  for (const webhook of dueWebhooks) {
    if (capacity <= 0) break;
    const takenHere = await takeFromWebhook(account, webhook, request, capacity);
    taken.push(takenHere);
    capacity -= takenHere.deliveries.length;
  }
  const attempts = await leaseTaken(account, taken, request);
  account.state.isCapped = account.state.inFlight >= request.maxInFlightPerAccount;
  await account.save();
  const { nowMs } = account;
  return { attempts, poisoned, nextAtMs: nextCheckAtMs(account.state), nowMs };
}

/** Deliveries of a webhook that may start now. Nothing of them is written yet. */
interface TakenDeliveries {
  readonly webhook: StoredWebhook;
  readonly head: QueueHead;
  readonly deliveries: readonly StoredDelivery[];
  /** The queue of the webhook without them. */
  readonly queue: QueueState;
}

async function takeFromWebhook(
  account: AccountRows,
  webhook: StoredWebhook,
  request: ClaimRequest,
  capacity: number,
): Promise<TakenDeliveries> {
  const { nowMs } = account;
  const allowed = startsAllowed(webhook.queue, webhook.record, { capacity, ...request }, nowMs);
  const head = await QueueHead.read(account, webhook, allowed);
  const deliveries: StoredDelivery[] = [];
  let { queue } = webhook;
  while (deliveries.length < allowed) {
    const next = head.take(queue, nowMs);
    if (next === null) break;
    queue = next.queue;
    deliveries.push(next.delivery);
  }
  return { webhook, head, deliveries, queue };
}

/** Leases the deliveries that were taken, after it has read all of their messages together. */
async function leaseTaken(
  account: AccountRows,
  taken: readonly TakenDeliveries[],
  request: ClaimRequest,
): Promise<readonly ClaimedAttempt[]> {
  const ids = taken.flatMap(({ deliveries }) => deliveries.map(({ deliveryId }) => deliveryId));
  const read = async (id: string) =>
    [id, await readValue<StoredMessage>(account.rows, messageKey(id))] as const;
  const messages = new Map(await Promise.all([...new Set(ids)].map(read)));
  const attempts: ClaimedAttempt[] = [];
  for (const { webhook, head, deliveries, queue } of taken) {
    const leased: ClaimedAttempt[] = [];
    for (const delivery of deliveries) {
      const message = messages.get(delivery.deliveryId);
      // The message has expired and was deleted, so this delivery has expired too. The next claim takes another one.
      if (message === undefined) await account.deleteDelivery(delivery);
      else {
        const details = { webhook, body: message.body, leaseMs: request.leaseMs };
        leased.push(await leaseDelivery(account, delivery, details));
      }
    }
    putQueueAfterClaim(account, { webhook, head, queue, count: leased.length }, request);
    attempts.push(...leased);
  }
  return attempts;
}

function putQueueAfterClaim(
  account: AccountRows,
  { webhook, head, queue, count }: Omit<TakenDeliveries, 'deliveries'> & { readonly count: number },
  request: ClaimRequest,
): void {
  const { nowMs } = account;
  const { record } = webhook;
  const starts = { count, beginByMs: nowMs + request.rateMarginMs };
  const started = queueWithStarts(head.correctCounts(queue), record, starts, nowMs);
  // A webhook that has started an attempt waits from now on, so that others are next.
  const sinceMs = count > 0 ? nowMs : (webhook.queue.dueAtMs ?? nowMs);
  const heads = { sinceMs, ...head.remaining(nowMs) };
  account.putQueue(webhook, queueWithNextStart(started, record, heads, request, nowMs));
}

async function leaseDelivery(
  account: AccountRows,
  delivery: StoredDelivery,
  {
    webhook,
    body,
    leaseMs,
  }: { readonly webhook: StoredWebhook; readonly body: string; readonly leaseMs: number },
): Promise<ClaimedAttempt> {
  const { nowMs } = account;
  const attempt = delivery.progress.attempt + 1;
  const endsAtMs = nowMs + leaseMs;
  const lease = { attempt, claimedAtMs: nowMs, leaseMs, endsAtMs };
  await account.putDelivery({ ...delivery, wait: { for: 'end_of_attempt', lease } });
  account.recordLeaseEnd(endsAtMs);
  return claimedAttempt(delivery, lease, { body, webhook: webhook.record, nowMs });
}

/** Recovers expired leases. Returns the deliveries that fail as `poison`. */
async function recoverStalled(
  account: AccountRows,
  { maxStalledAttempts }: ClaimRequest,
): Promise<readonly DeliveryRef[]> {
  const { nowMs } = account;
  const { leasesEndAtMs } = account.state;
  if (leasesEndAtMs === null || leasesEndAtMs > nowMs) return [];
  const stalled = await account.leasesEndingBefore(nowMs + 1, MAX_RECOVERED);
  // Reads them together: the loop finds them loaded.
  await Promise.all(stalled.map(({ webhookId }) => account.webhook(webhookId)));
  const poisoned: DeliveryRef[] = [];
  for (const delivery of stalled) {
    const { webhookId, queueId } = delivery;
    const current = await account.webhook(webhookId);
    // The webhook was removed, and another one may have been created with its id.
    if (current === null || current.queueId !== queueId) {
      await account.deleteDelivery(delivery);
      continue;
    }
    const webhook = account.endAttempt(current);
    if (nowMs >= delivery.expiresAtMs) {
      await account.deleteDelivery(delivery);
      continue;
    }
    const { attempt, claimedAtMs, leaseMs } = delivery.wait.lease;
    const stalledAttempt = { attempt, startedAtMs: claimedAtMs };
    const limits = { leaseMs, maxStalledAttempts };
    const progress = endStalledAttempt(delivery.progress, stalledAttempt, limits);
    if (progress.state === 'failed') {
      await account.putDelivery({ ...delivery, progress, wait: null });
      poisoned.push(refOf(delivery));
      continue;
    }
    await account.scheduleRetry(webhook, { ...delivery, progress }, null);
  }
  await account.updateNextLeaseEnd();
  return poisoned;
}
