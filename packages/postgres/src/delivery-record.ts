import {
  DEAD_REASONS,
  DELIVERY_STATES,
  type DeliveryRecord,
  type DeliveryRef,
  type ListedAttempt,
  type ListedDelivery,
  type NextDelivery,
  type ScheduledBatch,
  type ScheduledDelivery,
  type WebhookRef,
} from '@latchhook/core/storage';
import type { FunctionAnswer } from './function-answer.ts';
import { storedText } from './storable-text.ts';

/** Reads the answer of `find_delivery`: `responses` has those of the newest attempts only. */
export function parseDeliveryRecord(ref: WebhookRef, answer: FunctionAnswer): DeliveryRecord {
  const delivery = parseListedDelivery(ref, answer.object('listed'));
  const responses = answer.textsOrNulls('responses');
  const forgotten = delivery.attempts.length - responses.length;
  return {
    ...delivery,
    attempts: delivery.attempts.map((attempt, index) => ({
      ...attempt,
      response: responses[index - forgotten] ?? null,
    })),
  };
}

/** Reads a delivery as `LISTED_DELIVERY` writes it. */
export function parseListedDelivery(
  { accountId, webhookId }: WebhookRef,
  answer: FunctionAnswer,
): ListedDelivery {
  const isDead = answer.textOrNull('deadReason') !== null;
  return {
    accountId,
    webhookId,
    deliveryId: storedText(answer.text('deliveryId')),
    event: answer.text('event'),
    sequence: answer.integer('sequence'),
    state: answer.oneOf('state', DELIVERY_STATES),
    deadReason: isDead ? answer.oneOf('deadReason', DEAD_REASONS) : null,
    createdAtMs: answer.integer('createdAtMs'),
    nextAttemptAtMs: answer.integerOrNull('nextAttemptAtMs'),
    attempts: answer.list('attempts').map(parseAttempt),
  };
}

/** Reads a delivery as `scheduled_as` writes it. */
export function parseScheduled(
  { accountId, webhookId }: WebhookRef,
  answer: FunctionAnswer,
): ScheduledDelivery {
  return {
    accountId,
    webhookId,
    deliveryId: storedText(answer.text('deliveryId')),
    run: answer.integer('run'),
    delayMs: answer.integer('delayMs'),
  };
}

/** Reads the delivery that is next. */
export function parseNext(ref: WebhookRef, answer: FunctionAnswer): NextDelivery {
  const next = answer.objectOrNull('next');
  return next && parseScheduled(ref, next);
}

/** Reads one batch of deliveries, and whether there are more. `null`: no such webhook. */
export function parseBatch(
  ref: WebhookRef,
  outcome: 'recovered' | 'released',
  answer: FunctionAnswer,
): ScheduledBatch | null {
  if (answer.outcome([outcome, 'unknown']) === 'unknown') return null;
  return {
    scheduled: answer.list('scheduled').map((scheduled) => parseScheduled(ref, scheduled)),
    count: answer.integer('count'),
    more: answer.boolean('more'),
  };
}

/** Reads the ids of a delivery and of its webhook. */
export function parseDeliveryRef(accountId: number, answer: FunctionAnswer): DeliveryRef {
  return {
    accountId,
    webhookId: storedText(answer.text('webhookId')),
    deliveryId: storedText(answer.text('deliveryId')),
  };
}

function parseAttempt(answer: FunctionAnswer): ListedAttempt {
  const result = answer.object('result');
  return {
    attempt: answer.integer('attempt'),
    startedAtMs: answer.integer('startedAtMs'),
    status: result.integerOrNull('status'),
    durationMs: result.integer('durationMs'),
    error: result.textOrNull('error'),
  };
}
