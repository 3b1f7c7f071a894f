import { loseAttempt } from '../../decisions/end-of-attempt.ts';
import {
  isRetryNext,
  type QueueState,
  queueWithNextStart,
  queueWithStarts,
  startsAllowed,
} from '../../decisions/queue-state.ts';
import { signingSecrets } from '../../decisions/webhook-changes.ts';
import type { DeliveryRef } from '../../delivery-record.ts';
import type { ClaimedAttempt, ClaimRequest } from '../../delivery-store.ts';
import { placeOf } from '../engine-calls.ts';
import type { AccountRows } from './account-rows.ts';
import { messageKey, type StoredMessage } from './publish-message.ts';
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
  const attempts: ClaimedAttempt[] = [];
  const capacity = () =>
    Math.min(
      request.limit - attempts.length,
      request.maxInFlightPerAccount - account.account.inFlight,
    );
  // Each webhook is claimed from once. If it is immediately due again, it waits for the next call.
  const page = { before: placeOf(account.nowMs + 1), limit: capacity() };
  const dueWebhooks = capacity() > 0 ? await account.webhooks('due', page) : [];
  for (const webhook of dueWebhooks) {
    if (capacity() <= 0) break;
    attempts.push(...(await claimFromWebhook(account, webhook, { ...request, limit: capacity() })));
  }
  const isCapped = account.account.inFlight >= request.maxInFlightPerAccount;
  account.account = { ...account.account, isCapped };
  await account.save();
  const { nowMs } = account;
  return { attempts, poisoned, nextAtMs: nextCheckAtMs(account.account), nowMs };
}

async function claimFromWebhook(
  account: AccountRows,
  webhook: StoredWebhook,
  request: ClaimRequest,
): Promise<readonly ClaimedAttempt[]> {
  const { nowMs } = account;
  const { record, queue: queueBefore } = webhook;
  const limits = { ...request, capacity: request.limit };
  const allowed = startsAllowed(queueBefore, record, limits, nowMs);
  const heads = await Heads.read(account, webhook, allowed);
  const attempts: ClaimedAttempt[] = [];
  let { queue } = webhook;
  while (attempts.length < allowed) {
    const head = heads.take(queue, nowMs);
    if (head === null) break;
    queue = head.queue;
    const message = await account.rows.get(messageKey(head.delivery.deliveryId));
    // The message has expired and was deleted, so this delivery has expired too.
    if (message === null) {
      await account.deleteDelivery(head.delivery);
      continue;
    }
    const { body } = message.value as StoredMessage;
    attempts.push(await leaseDelivery(account, head.delivery, { webhook, body, request }));
  }
  const count = attempts.length;
  queue = queueWithStarts(
    heads.correctCounts(queue),
    record,
    { count, beginByMs: nowMs + request.rateMarginMs },
    nowMs,
  );
  const sinceMs = count > 0 ? nowMs : (queueBefore.dueAtMs ?? nowMs);
  account.putQueue(
    webhook,
    queueWithNextStart(queue, record, { ...heads.remaining(nowMs), sinceMs }, request, nowMs),
  );
  return attempts;
}

/** The deliveries at the head of a webhook's queue: as many as may start, and one more to show whether any remain. */
class Heads {
  readonly #retries: StoredDelivery[];
  readonly #fresh: StoredDelivery[];
  /** Whether all retries of the webhook were read. */
  readonly #hasAllRetries: boolean;

  private constructor(
    retries: readonly StoredDelivery[],
    fresh: readonly StoredDelivery[],
    limit: number,
  ) {
    this.#retries = [...retries];
    this.#fresh = [...fresh];
    this.#hasAllRetries = retries.length < limit;
  }

  static async read(account: AccountRows, { queueId, queue }: StoredWebhook, count: number) {
    const page = { limit: count + 1 };
    const hasFresh = queue.lastTaken < queue.lastSequence;
    const retries = queue.retries > 0 ? await account.deliveries('retry', queueId, page) : [];
    const fresh = hasFresh ? await account.deliveries('fresh', queueId, page) : [];
    return new Heads(retries, fresh, page.limit);
  }

  /**
   * Takes the next delivery: first a returned one, which has no `atMs`; then due retries and first attempts in turn.
   */
  take(
    queue: QueueState,
    nowMs: number,
  ): { readonly delivery: StoredDelivery; readonly queue: QueueState } | null {
    const [retry] = this.#retries;
    const [fresh] = this.#fresh;
    const atMs = retry === undefined ? null : retryAtMs(retry);
    const isDue = retry !== undefined && (atMs === null || atMs <= nowMs);
    if (isDue && (atMs === null || isRetryNext(queue, fresh !== undefined))) {
      this.#retries.shift();
      const wasRetryLast = queue.wasRetryLast || atMs !== null;
      return { delivery: retry, queue: { ...queue, wasRetryLast, retries: queue.retries - 1 } };
    }
    if (fresh === undefined) return null;
    this.#fresh.shift();
    return {
      delivery: fresh,
      queue: { ...queue, wasRetryLast: false, lastTaken: fresh.sequence },
    };
  }

  /** Subtracts expired deliveries, which the engine has deleted, from the counts of the queue. */
  correctCounts(queue: QueueState): QueueState {
    return {
      ...queue,
      retries: this.#hasAllRetries ? this.#retries.length : queue.retries,
      lastTaken: this.#fresh.length === 0 ? queue.lastSequence : queue.lastTaken,
    };
  }

  /** The head of the queue after the deliveries that were taken. */
  remaining(nowMs: number): { readonly hasHead: boolean; readonly nextRetryAtMs: number | null } {
    const [retry] = this.#retries;
    if (this.#fresh.length > 0) return { hasHead: true, nextRetryAtMs: null };
    if (retry === undefined) return { hasHead: false, nextRetryAtMs: null };
    const nextRetryAtMs = retryAtMs(retry);
    return { hasHead: nextRetryAtMs === null || nextRetryAtMs <= nowMs, nextRetryAtMs };
  }
}

function retryAtMs({ wait }: StoredDelivery): number | null {
  return wait?.for === 'retry' ? wait.atMs : null;
}

async function leaseDelivery(
  account: AccountRows,
  delivery: StoredDelivery,
  {
    webhook,
    body,
    request: { leaseMs },
  }: {
    readonly webhook: StoredWebhook;
    readonly body: string;
    readonly request: ClaimRequest;
  },
): Promise<ClaimedAttempt> {
  // `claimedAtMs` is by the wall clock because receivers compare it with their own clocks.
  const { nowMs, wallClockMs: claimedAtMs } = account;
  const { accountId, webhookId, deliveryId, sequence, createdAtMs, expiresAtMs, event } = delivery;
  const { failures, notCounted } = delivery.progress;
  const attempt = delivery.progress.attempt + 1;
  const endsAtMs = nowMs + leaseMs;
  const lease = { attempt, claimedAtMs, leaseMs, endsAtMs };
  await account.putDelivery({ ...delivery, wait: { for: 'end_of_attempt', lease } });
  account.recordLeaseEnd(endsAtMs);
  const { url, secrets } = webhook.record;
  return {
    accountId,
    webhookId,
    deliveryId,
    attempt,
    sequence,
    claimedAtMs,
    createdAtMs,
    expiresAtMs,
    event,
    failures,
    notCounted,
    body,
    webhook: { url, secrets: signingSecrets(secrets, nowMs) },
  };
}

/** Recovers expired leases. Returns the deliveries that fail as `poison`. */
async function recoverStalled(
  account: AccountRows,
  { maxStalledAttempts }: ClaimRequest,
): Promise<readonly DeliveryRef[]> {
  const { nowMs } = account;
  const { leasesEndAtMs } = account.account;
  if (leasesEndAtMs === null || leasesEndAtMs > nowMs) return [];
  const poisoned: DeliveryRef[] = [];
  for (const delivery of await account.leasesEndingBefore(nowMs + 1, MAX_RECOVERED)) {
    const { accountId, webhookId, deliveryId, queueId } = delivery;
    const current = await account.webhook(webhookId);
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
    const { progress, delayMs } = loseAttempt(delivery.progress, stalledAttempt, {
      leaseMs,
      maxStalledAttempts,
    });
    if (delayMs === null) {
      await account.putDelivery({ ...delivery, progress, wait: null });
      poisoned.push({ accountId, webhookId, deliveryId });
      continue;
    }
    await account.scheduleRetry(webhook, { ...delivery, progress }, nowMs + delayMs);
  }
  await account.updateNextLeaseEnd();
  return poisoned;
}
