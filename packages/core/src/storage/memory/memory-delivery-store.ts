import type {
  FinishOutcome,
  PublishOutcome,
  RescheduledDelivery,
  ResendOutcome,
  ScheduledBatch,
  ScheduledDelivery,
  StartOutcome,
} from '../delivery-outcomes.ts';
import type { DeliveryRecord, DeliveryRef, ListedDelivery } from '../delivery-record.ts';
import type {
  FinishRequest,
  OverdueRequest,
  RecoverRequest,
  ReleaseRequest,
  RescheduleRequest,
  StartRequest,
  UnreleasedRequest,
} from '../delivery-requests.ts';
import type { DeliveryStore } from '../delivery-store.ts';
import type { NewMessage } from '../new-message.ts';
import type { Page } from '../page.ts';
import type { WebhookRef } from '../webhook-store.ts';
import { finishAttempt } from './finish-attempt.ts';
import type { Instant } from './instant.ts';
import { lineUp, scheduledIn } from './line-up.ts';
import { deliveryRecord, listedDelivery } from './listed-delivery.ts';
import { publishMessage } from './publish-message.ts';
import type { RankedSequence } from './ranked-sequence.ts';
import { rescheduleLines } from './reschedule-lines.ts';
import { startAttempt } from './start-attempt.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { StoredWebhook } from './stored-webhook.ts';
import type { WebhookStates } from './webhook-states.ts';

/**
 * Deliveries in memory. As everywhere here, no method awaits anything, so each is one transition.
 *
 * Costs: every method takes O(log n) for each delivery that it answers or changes, n being the deliveries of the
 * webhook, or those of all webhooks that are to come; `countPending` takes O(1). `publish` looks at all webhooks of the
 * account, a delivery is searched among those of its message, and `recover` looks at dead ones until it has found
 * enough. Nothing else is scanned.
 */
export class MemoryDeliveryStore implements DeliveryStore {
  readonly #states: WebhookStates;

  constructor(states: WebhookStates) {
    this.#states = states;
  }

  publish(message: NewMessage): PublishOutcome {
    const now = this.#states.begin();
    return publishMessage(this.#states, message, now);
  }

  start(request: StartRequest): StartOutcome {
    const now = this.#states.begin();
    const delivery = this.#states.delivery(request);
    return delivery === undefined ? { outcome: 'over' } : startAttempt(delivery, request, now);
  }

  finish(request: FinishRequest): FinishOutcome {
    const now = this.#states.begin();
    const delivery = this.#states.delivery(request);
    return delivery === undefined ? { outcome: 'stale' } : finishAttempt(delivery, request, now);
  }

  async resend(ref: DeliveryRef): Promise<ResendOutcome> {
    const now = this.#states.begin();
    const delivery = this.#states.delivery(ref);
    if (delivery === undefined) return { outcome: 'unknown' };
    const { state, webhook } = delivery;
    const isNext = state === 'waiting' && delivery.forbiddenMs(now.nowMs) === 0;
    if (state === 'queued' || state === 'sending' || isNext) return { outcome: 'under_way' };
    if (webhook.record.disabledAtMs !== null) {
      delivery.unscheduleAs('held');
      return { outcome: 'held' };
    }
    return { outcome: 'scheduled', scheduled: sendAgain(delivery, now) };
  }

  async recover(
    ref: WebhookRef,
    { sinceMs, limit }: RecoverRequest,
  ): Promise<ScheduledBatch | null> {
    const now = this.#states.begin();
    const webhook = this.#states.webhook(ref);
    if (webhook === undefined) return null;
    const found = deadSince(webhook, sinceMs, limit + 1);
    const batch = found.slice(0, limit);
    const scheduled: ScheduledDelivery[] = [];
    for (const delivery of batch) {
      if (webhook.record.disabledAtMs === null) scheduled.push(sendAgain(delivery, now));
      else delivery.unscheduleAs('held');
    }
    return { scheduled, count: batch.length, more: found.length > batch.length };
  }

  async release(ref: WebhookRef, { limit }: ReleaseRequest): Promise<ScheduledBatch | null> {
    const now = this.#states.begin();
    const webhook = this.#states.webhook(ref);
    if (webhook === undefined) return null;
    if (webhook.record.disabledAtMs !== null) return { scheduled: [], count: 0, more: false };
    const { held } = webhook.byState;
    const scheduled = slice(held, 0, limit).map((delivery) => {
      if (delivery.attempt > 0) return sendAgain(delivery, now);
      // Even so a new run: an engine may still remember the run that it saw end as held.
      delivery.restartAsFirstTry();
      return lineUp(delivery, now);
    });
    return { scheduled, count: scheduled.length, more: held.size > 0 };
  }

  async unreleased({ limit }: UnreleasedRequest): Promise<readonly WebhookRef[]> {
    this.#states.begin();
    const found: WebhookRef[] = [];
    for (const { record, byState } of this.#states.allWebhooks()) {
      if (record.disabledAtMs !== null || byState.held.size === 0) continue;
      found.push({ accountId: record.accountId, webhookId: record.webhookId });
    }
    const first = Math.floor(Math.random() * found.length);
    return [...found.slice(first), ...found.slice(0, first)].slice(0, limit);
  }

  async reschedule(
    ref: WebhookRef,
    request: RescheduleRequest,
  ): Promise<readonly RescheduledDelivery[] | null> {
    const now = this.#states.begin();
    const webhook = this.#states.webhook(ref);
    if (webhook === undefined) return null;
    if (webhook.record.disabledAtMs !== null) return [];
    return rescheduleLines(webhook, request, now);
  }

  async overdue({
    graceMs,
    limit,
    putOffMs,
  }: OverdueRequest): Promise<readonly ScheduledDelivery[]> {
    const { nowMs } = this.#states.begin();
    return this.#late(nowMs, graceMs, limit).map((delivery) => {
      delivery.dueAtMs = nowMs + putOffMs;
      return scheduledIn(0, delivery);
    });
  }

  async find(ref: DeliveryRef): Promise<DeliveryRecord | null> {
    this.#states.begin();
    const delivery = this.#states.delivery(ref);
    return delivery === undefined ? null : deliveryRecord(delivery);
  }

  async list(ref: WebhookRef, { limit, after }: Page): Promise<readonly ListedDelivery[] | null> {
    this.#states.begin();
    const log = this.#states.webhook(ref)?.log;
    if (log === undefined) return null;
    const older = after === null ? log.size : log.rank(after);
    const first = Math.max(0, older - limit);
    return slice(log, first, older - first)
      .map(listedDelivery)
      .reverse();
  }

  async countPending(): Promise<number> {
    this.#states.begin();
    return this.#states.due.size;
  }

  async lagMs(): Promise<number> {
    const { nowMs } = this.#states.begin();
    const [first] = this.#late(nowMs, 0, 1);
    return first === undefined ? 0 : nowMs - first.dueAtMs;
  }

  /** What should have started `graceMs` ago and may start now, longest late first. */
  #late(nowMs: number, graceMs: number, limit: number): readonly StoredDelivery[] {
    const { due } = this.#states;
    return due
      .until(nowMs - graceMs, limit, ({ delivery }) => delivery.leaseLeftMs(nowMs) === 0)
      .map(({ delivery }) => delivery);
  }
}

/** The first ones in the order of publishing, which the times of creation do not follow if the clock was set back. */
function deadSince(webhook: StoredWebhook, sinceMs: number, limit: number): StoredDelivery[] {
  const found: StoredDelivery[] = [];
  for (const delivery of webhook.byState.dead.values()) {
    if (delivery.message.createdAtMs >= sinceMs) found.push(delivery);
    if (found.length === limit) break;
  }
  return found;
}

function sendAgain(delivery: StoredDelivery, now: Instant): ScheduledDelivery {
  delivery.restartAsRetry(now.nowMs);
  return lineUp(delivery, now);
}

/** The deliveries of a line from a rank on. An array, since the caller changes the line meanwhile. */
function slice(
  line: RankedSequence<StoredDelivery>,
  from: number,
  limit: number,
): readonly StoredDelivery[] {
  const found: StoredDelivery[] = [];
  for (let rank = from; found.length < limit; rank += 1) {
    const delivery = line.at(rank);
    if (delivery === undefined) break;
    found.push(delivery);
  }
  return found;
}
