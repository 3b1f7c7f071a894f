import assert from 'node:assert/strict';
import type {
  DeliveryRecord,
  DeliveryRef,
  DeliveryState,
  DeliveryStore,
  FinishOutcome,
  FinishRequest,
  LinePosition,
  ListedDelivery,
  NewMessage,
  NewWebhook,
  PublishOutcome,
  RescheduledDelivery,
  ScheduledDelivery,
  StartOutcome,
  StartRequest,
  Verdict,
  WebhookRecord,
  WebhookRef,
  WebhookStore,
} from '@latchhook/core/storage';
import type { TurnableClock } from './turnable-clock.ts';
import {
  DELIVERED,
  deliveryTo,
  EXHAUSTED,
  finishing,
  GONE,
  newMessage,
  newWebhook,
  POLICY,
  SECOND_MS,
  starting,
} from './webhook-samples.ts';

type Outcome<Union, Name> = Extract<Union, { readonly outcome: Name }>;

/** The answer to a start that is admitted. */
export type Started = Outcome<StartOutcome, 'started'>;

/** Registers a webhook; it has to succeed. */
export async function register(
  webhooks: WebhookStore,
  webhookId: string,
  change: Partial<NewWebhook> = {},
): Promise<WebhookRecord> {
  const answer = await webhooks.create(newWebhook(webhookId, change), POLICY);
  if (answer.outcome === 'created') return answer.webhook;
  assert.fail(`expected the webhook to be created, not ${answer.outcome}`);
}

/** What a transition answers about a webhook that must be there. */
export function found<Answer>(answer: Answer | null): Answer {
  return answer ?? assert.fail('the store knows no such webhook');
}

/** Publishes a message that was not published before. */
export async function publish(
  deliveries: DeliveryStore,
  messageId: string,
  change: Partial<NewMessage> = {},
): Promise<Outcome<PublishOutcome, 'published'>> {
  const answer = await deliveries.publish(newMessage(messageId, change));
  if (answer.outcome === 'published') return answer;
  assert.fail(`expected the message to be published, not ${answer.outcome}`);
}

/** Publishes `count` messages, one after the other, and answers their scheduled deliveries. */
export async function publishMany(
  deliveries: DeliveryStore,
  count: number,
  change: Partial<NewMessage> = {},
): Promise<ScheduledDelivery[]> {
  const scheduled: ScheduledDelivery[] = [];
  for (let nth = 1; nth <= count; nth += 1) {
    scheduled.push(...(await publish(deliveries, `m${nth}`, change)).scheduled);
  }
  return scheduled;
}

/** Publishes many messages, waits until most of them are forgotten, and answers the ids of the others. */
export async function publishAroundForgotten(
  deliveries: DeliveryStore,
  clock: TurnableClock,
): Promise<readonly string[]> {
  const ids = Array.from({ length: 40 }, (_, nth) => `m${nth}`);
  const kept = [...ids.slice(0, 3), ...ids.slice(-3)];
  for (const id of ids) {
    await publish(deliveries, id, kept.includes(id) ? {} : { retentionMs: SECOND_MS });
  }
  clock.advance(SECOND_MS + 1);
  return kept;
}

/** Publishes one message, and answers its delivery to the webhook. */
export async function queue(
  deliveries: DeliveryStore,
  webhook: WebhookRef,
  messageId: string = 'm1',
): Promise<DeliveryRef> {
  await publish(deliveries, messageId, { webhookId: webhook.webhookId });
  return deliveryTo(webhook, messageId);
}

/** Starts an attempt; it has to succeed. */
export async function start(
  deliveries: DeliveryStore,
  delivery: DeliveryRef & { readonly run?: number },
  change: Partial<StartRequest> = {},
): Promise<Started> {
  const answer = await deliveries.start(starting(delivery, change));
  if (answer.outcome === 'started') return answer;
  assert.fail(`expected the attempt to start, not: ${JSON.stringify(answer)}`);
}

/** Ends an attempt that is in flight. */
export async function finish(
  deliveries: DeliveryStore,
  delivery: DeliveryRef,
  { attempt }: Pick<Started, 'attempt'>,
  verdict: Verdict,
  change: Partial<FinishRequest> = {},
): Promise<Outcome<FinishOutcome, 'finished'>> {
  const answer = await deliveries.finish(finishing(delivery, attempt, verdict, change));
  if (answer.outcome === 'finished') return answer;
  assert.fail(`expected the attempt to end, not: ${answer.outcome}`);
}

/** Makes one attempt, from start to finish. */
export async function attempt(
  deliveries: DeliveryStore,
  delivery: DeliveryRef & { readonly run?: number },
  verdict: Verdict,
): Promise<Outcome<FinishOutcome, 'finished'>> {
  return finish(deliveries, delivery, await start(deliveries, delivery), verdict);
}

/** Publishes a message and delivers it. */
export async function deliver(
  deliveries: DeliveryStore,
  webhook: WebhookRef,
  messageId: string,
): Promise<DeliveryRef> {
  const delivery = await queue(deliveries, webhook, messageId);
  await attempt(deliveries, delivery, DELIVERED);
  return delivery;
}

/** Publishes a message and gives its delivery up. */
export async function giveUp(
  deliveries: DeliveryStore,
  webhook: WebhookRef,
  messageId: string,
): Promise<DeliveryRef> {
  const delivery = await queue(deliveries, webhook, messageId);
  await attempt(deliveries, delivery, EXHAUSTED);
  return delivery;
}

/** Disables a webhook, as a receiver does by answering 410 to a message. */
export async function disable(
  deliveries: DeliveryStore,
  webhook: WebhookRef,
  messageId: string = 'the last one',
): Promise<void> {
  const delivery = await queue(deliveries, webhook, messageId);
  assert.equal((await attempt(deliveries, delivery, GONE)).disabled, 'gone');
}

/** All deliveries that are rescheduled, in pages of `limit`: all pages but the last must be full. */
export async function reschedule(
  deliveries: DeliveryStore,
  webhook: WebhookRef,
  limit: number,
  maxInFlight: number = POLICY.maxInFlight,
): Promise<readonly RescheduledDelivery[]> {
  const rescheduled: RescheduledDelivery[] = [];
  for (let after: LinePosition | null = null; ; ) {
    const { rateMarginMs, leaseMs } = POLICY;
    const request = { rateMarginMs, leaseMs, maxInFlight, limit, after };
    const page: readonly RescheduledDelivery[] = found(
      await deliveries.reschedule(webhook, request),
    );
    assert.ok(page.length <= limit);
    assert.ok(
      page.length === 0 || rescheduled.length % limit === 0,
      'a short page was not the last',
    );
    rescheduled.push(...page);
    const last = page.at(-1);
    if (last === undefined) return rescheduled;
    after = last.position;
  }
}

/** A delivery that must be there. */
export async function recordOf(
  deliveries: DeliveryStore,
  delivery: DeliveryRef,
): Promise<DeliveryRecord> {
  const record = await deliveries.find(delivery);
  if (record !== null) return record;
  assert.fail(`there is no delivery ${delivery.deliveryId}`);
}

/** The record as lists show it. */
export function asListed({ attempts, ...delivery }: DeliveryRecord): ListedDelivery {
  return {
    ...delivery,
    attempts: attempts.map(({ attempt, startedAtMs, status, durationMs, error }) => ({
      attempt,
      startedAtMs,
      status,
      durationMs,
      error,
    })),
  };
}

export async function assertState(
  deliveries: DeliveryStore,
  delivery: DeliveryRef,
  state: DeliveryState,
): Promise<void> {
  assert.equal((await recordOf(deliveries, delivery)).state, state);
}

/** The answer to a deferred start: how long to wait, and for what. */
export function deferralOf(answer: StartOutcome): Outcome<StartOutcome, 'deferred'> {
  if (answer.outcome === 'deferred') return answer;
  assert.fail(`expected the attempt to be deferred, not ${answer.outcome}`);
}

export function idsOf(deliveries: readonly DeliveryRef[]): readonly string[] {
  return deliveries.map(({ deliveryId }) => deliveryId);
}

export function byWebhook<Item extends { readonly webhookId: string }>(
  items: readonly Item[],
): Item[] {
  return items.toSorted((a, b) => a.webhookId.localeCompare(b.webhookId));
}
