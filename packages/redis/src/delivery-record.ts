import type {
  AttemptRecord,
  AttemptResult,
  DeadReason,
  DeliveryRecord,
  DeliveryState,
  NextDelivery,
  ScheduledBatch,
  WebhookRef,
} from '@latchhook/core';
import type { ScriptReply } from './script-reply.ts';

const STATES = [
  'queued',
  'sending',
  'waiting',
  'held',
  'delivered',
  'dead',
] as const satisfies readonly DeliveryState[];

const DEAD_REASONS = [
  'exhausted',
  'gone',
  'expired',
  'poison',
] as const satisfies readonly DeadReason[];

/** Reads a record as `readDelivery` of the scripts answers it. */
export function parseDeliveryRecord(
  reply: ScriptReply,
  { accountId, webhookId }: WebhookRef,
): DeliveryRecord {
  return {
    accountId,
    webhookId,
    deliveryId: reply.text(),
    event: reply.text(),
    sequence: reply.integer(),
    state: reply.outcome(STATES),
    deadReason: reply.outcome([...DEAD_REASONS, '']) || null,
    createdAtMs: reply.integer(),
    nextAttemptAtMs: reply.integer() || null,
    attempts: Array.from(reply.list().lists(), parseAttempt),
  };
}

/** The answer of the scripts that schedule deliveries of one webhook, a part at a time. */
export function parseScheduledBatch(
  reply: ScriptReply,
  { accountId, webhookId }: WebhookRef,
): ScheduledBatch {
  reply.outcome(['scheduled']);
  const more = reply.integer() === 1;
  const count = reply.integer();
  const scheduled = Array.from(reply.list().lists(), (delivery) => ({
    accountId,
    webhookId,
    deliveryId: delivery.text(),
    run: delivery.integer(),
    delayMs: delivery.integer(),
  }));
  return { scheduled, count, more };
}

/** Reads who is next, as `nextInLine` of the scripts answers it. */
export function parseNext(reply: ScriptReply, { accountId, webhookId }: WebhookRef): NextDelivery {
  const deliveryId = reply.text();
  const run = reply.integer();
  const delayMs = reply.integer();
  return deliveryId === '' ? null : { accountId, webhookId, deliveryId, run, delayMs };
}

/** How an attempt went, as one field of the hash: what `logAttempt` of the scripts takes. */
export function serialiseResult({ status, durationMs, error, response }: AttemptResult): string {
  return JSON.stringify([status, durationMs, error, response]);
}

/** Reads an attempt: its number, and its start and its result as `logAttempt` of the scripts wrote them. */
function parseAttempt(reply: ScriptReply): AttemptRecord {
  const attempt = reply.integer();
  const text = reply.text();
  const space = text.indexOf(' ');
  const startedAtMs = Number(text.slice(0, space));
  const result: unknown = JSON.parse(text.slice(space + 1));
  if (Number.isSafeInteger(startedAtMs) && Array.isArray(result)) {
    const [status, durationMs, error, response]: readonly unknown[] = result;
    if (
      (status === null || typeof status === 'number') &&
      typeof durationMs === 'number' &&
      (error === null || typeof error === 'string') &&
      (response === null || typeof response === 'string')
    ) {
      return { attempt, startedAtMs, status, durationMs, error, response };
    }
  }
  throw new Error('Redis holds an attempt that is none.');
}
