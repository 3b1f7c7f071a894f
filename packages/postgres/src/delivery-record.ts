import type {
  AttemptRecord,
  DeliveryRecord,
  DeliveryRef,
  NextDelivery,
  ScheduledBatch,
  ScheduledDelivery,
  WebhookRef,
} from '@latchhook/core';
import type { FunctionAnswer } from './function-answer.ts';
import { storedText } from './storable-text.ts';

/** Reads a record as `delivery_record` gives it. */
export function parseDeliveryRecord(
  { accountId, webhookId }: WebhookRef,
  answer: FunctionAnswer,
): DeliveryRecord {
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

function parseAttempt(answer: FunctionAnswer): AttemptRecord {
  const result = answer.object('result');
  return {
    attempt: answer.integer('attempt'),
    startedAtMs: answer.integer('startedAtMs'),
    status: result.integerOrNull('status'),
    durationMs: result.integer('durationMs'),
    error: result.textOrNull('error'),
    response: result.textOrNull('response'),
  };
}
