import type {
  DeliveryRecord,
  DeliveryRef,
  ListedAttempt,
  ListedDelivery,
  NextDelivery,
  ScheduledBatch,
  ScheduledDelivery,
  WebhookRef,
} from '@latchhook/core';
import type { FunctionAnswer } from './function-answer.ts';
import { storedText } from './storable-text.ts';

/** Reads what `find_delivery` found: `responses` are those of the newest attempts. */
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

/** Reads what `LISTED_DELIVERY` gives. */
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
    state: answer.oneOf('state', ['queued', 'sending', 'waiting', 'held', 'delivered', 'dead']),
    deadReason: isDead
      ? answer.oneOf('deadReason', ['exhausted', 'gone', 'expired', 'poison'])
      : null,
    createdAtMs: answer.integer('createdAtMs'),
    nextAttemptAtMs: answer.integerOrNull('nextAttemptAtMs'),
    attempts: answer.list('attempts').map(parseAttempt),
  };
}

/** Reads what `scheduled_as` gives. */
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

/** Reads who is next. */
export function parseNext(ref: WebhookRef, answer: FunctionAnswer): NextDelivery {
  const next = answer.objectOrNull('next');
  return next && parseScheduled(ref, next);
}

/** Reads a part of what a call was about. */
export function parseBatch(ref: WebhookRef, answer: FunctionAnswer): ScheduledBatch {
  return {
    scheduled: answer.list('scheduled').map((scheduled) => parseScheduled(ref, scheduled)),
    count: answer.integer('count'),
    more: answer.boolean('more'),
  };
}

/** Reads a delivery that is named together with its webhook. */
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
