import { startOver } from '../decisions/end-of-attempt.ts';
import { fillWindow } from '../decisions/start-window.ts';
import type { DeliveryRef, DeliveryState, ListedDelivery } from '../delivery-record.ts';
import type {
  AttemptEnd,
  Claim,
  ClaimRequest,
  CompletedAttempt,
  CompleteLimits,
  DeliveryStore,
  PublishedMessage,
  QueueStats,
  RedeliverFailedRequest,
  RedeliverOutcome,
} from '../delivery-store.ts';
import type { NewMessage } from '../new-message.ts';
import type { Page } from '../page.ts';
import { MAX_RATE_LIMIT, type WebhookRecord, type WebhookRef } from '../webhook-store.ts';
import { claimAttempts } from './queue/claim-attempts.ts';
import { completeAttempt } from './queue/complete-attempt.ts';
import { publishMessage } from './queue/publish-message.ts';
import type { QueueStates } from './queue/queue-states.ts';
import type { QueuedDelivery, WebhookQueue } from './queue/webhook-queue.ts';
import type { WebhookStates } from './webhook-states.ts';

/** Deliveries in memory. As everywhere here, no method awaits anything, so each is one transition. */
export class MemoryDeliveryStore implements DeliveryStore {
  readonly #queues: QueueStates;
  readonly #webhooks: WebhookStates;
  readonly #onDue = new Set<() => void>();

  constructor(queues: QueueStates, webhooks: WebhookStates) {
    this.#queues = queues;
    this.#webhooks = webhooks;
    webhooks.onChange = {
      changed: (before, after) => this.#changed(before, after),
      enabled: (ref) => this.#enabled(ref),
      removed: (ref) => queues.removeQueue(ref),
    };
  }

  publish(message: NewMessage): PublishedMessage {
    const nowMs = this.#queues.begin();
    const published = publishMessage(this.#queues, this.#webhooks, message, nowMs);
    if (published.outcome === 'published' && published.deliveries > 0) this.#notify();
    return published;
  }

  claim(request: ClaimRequest): Claim {
    const nowMs = this.#queues.begin();
    return claimAttempts(this.#queues, (queue) => this.#record(queue), request, nowMs);
  }

  complete(ends: readonly AttemptEnd[], limits: CompleteLimits): readonly CompletedAttempt[] {
    const nowMs = this.#queues.begin();
    const findWebhook = (ref: WebhookRef) => this.#webhooks.webhook(ref);
    const request = { queues: this.#queues, findWebhook, limits, nowMs };
    return ends.map((end) => completeAttempt(end, request));
  }

  async redeliver(ref: DeliveryRef): Promise<RedeliverOutcome> {
    const nowMs = this.#queues.begin();
    const delivery = this.#queues.delivery(ref);
    if (delivery === undefined || this.#webhooks.webhook(ref) === undefined) {
      return { outcome: 'unknown' };
    }
    const { waitsFor, atMs } = delivery;
    const isLater = waitsFor === 'retry' && atMs > nowMs;
    if (waitsFor !== null && !isLater) return { outcome: 'under_way' };
    this.#startOver(delivery, nowMs);
    return { outcome: 'due' };
  }

  async redeliverFailed(
    ref: WebhookRef,
    { sinceMs, limit }: RedeliverFailedRequest,
  ): Promise<{ readonly count: number; readonly more: boolean } | null> {
    const nowMs = this.#queues.begin();
    if (this.#webhooks.webhook(ref) === undefined) return null;
    const failed = [...this.#queues.queue(ref).log].filter(
      ({ progress, message }) => progress.state === 'failed' && message.createdAtMs >= sinceMs,
    );
    const again = failed.slice(0, limit);
    for (const delivery of again) this.#startOver(delivery, nowMs);
    return { count: again.length, more: failed.length > again.length };
  }

  async list(ref: WebhookRef, { limit, after }: Page): Promise<readonly ListedDelivery[] | null> {
    this.#queues.begin();
    const webhook = this.#webhooks.webhook(ref);
    if (webhook === undefined) return null;
    const { log } = this.#queues.queue(ref);
    const listed: ListedDelivery[] = [];
    for (const delivery of log.downFrom((after ?? log.nextSequence) - 1)) {
      if (listed.length === limit) break;
      listed.push(listedDelivery(delivery, webhook.record));
    }
    return listed;
  }

  async stats(): Promise<QueueStats> {
    const nowMs = this.#queues.begin();
    const { due, leases } = this.#queues;
    let pending = leases.size;
    for (const queue of due) pending += queue.fresh + queue.retries.size;
    return { pending, oldestDueAgeMs: Math.max(0, nowMs - (due.first?.atMs ?? nowMs)) };
  }

  subscribe(onDue: () => void): () => Promise<void> {
    const listener = (): void => onDue();
    this.#onDue.add(listener);
    return async () => void this.#onDue.delete(listener);
  }

  #notify(): void {
    for (const onDue of this.#onDue) onDue();
  }

  #record({ accountId, webhookId }: WebhookQueue): WebhookRecord | undefined {
    return this.#webhooks.webhook({ accountId, webhookId })?.record;
  }

  #startOver(delivery: QueuedDelivery, nowMs: number): void {
    this.#queues.notDelivered(delivery);
    delivery.progress = startOver(delivery.progress);
    this.#queues.retryAt(delivery, nowMs);
    if (this.#record(delivery.queue)?.disabledAtMs !== null) this.#queues.notDue(delivery.queue);
    this.#notify();
  }

  /** What waits uses the new settings. */
  #changed(before: WebhookRecord, after: WebhookRecord): void {
    const nowMs = this.#queues.begin();
    const queue = this.#queues.queue(after);
    if (after.url !== before.url) queue.backoffUntilMs = nowMs;
    if (after.rateLimitPeriod !== before.rateLimitPeriod && after.rateLimitPeriod === 'minute') {
      queue.starts = fillWindow(queue.starts, MAX_RATE_LIMIT);
    }
    if (queue.isDue) this.#queues.dueBy(queue, nowMs);
    this.#notify();
  }

  #enabled(ref: WebhookRef): void {
    const nowMs = this.#queues.begin();
    const queue = this.#queues.queue(ref);
    queue.backoffUntilMs = nowMs;
    queue.failingSinceMs = null;
    if (queue.hasWork) this.#queues.dueBy(queue, nowMs);
    this.#notify();
  }
}

function listedDelivery(delivery: QueuedDelivery, webhook: WebhookRecord): ListedDelivery {
  const { message, progress, sequence, atMs } = delivery;
  const state = stateOf(delivery, webhook);
  return {
    ...delivery.ref,
    event: message.event,
    sequence,
    state,
    deadReason: progress.reason,
    createdAtMs: message.createdAtMs,
    nextAttemptAtMs: state === 'waiting' && atMs >= 0 ? atMs : null,
    attempts: progress.attempts,
  };
}

function stateOf(
  { progress, waitsFor }: QueuedDelivery,
  { disabledAtMs }: WebhookRecord,
): DeliveryState {
  if (progress.state === 'delivered') return 'delivered';
  if (progress.state === 'failed') return 'dead';
  if (waitsFor === 'end_of_attempt') return 'sending';
  if (disabledAtMs !== null) return 'held';
  return progress.attempt === 0 ? 'queued' : 'waiting';
}
