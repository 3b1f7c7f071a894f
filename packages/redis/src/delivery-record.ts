import {
  type AttemptRecord,
  type AttemptResult,
  DEAD_REASONS,
  DELIVERY_STATES,
  type DeliveryRecord,
  type ListedAttempt,
  type ListedDelivery,
  type NextDelivery,
  type ScheduledBatch,
  type WebhookRef,
} from '@latchhook/core/storage';
import type { ScriptReply } from './script-reply.ts';

/** Reads a delivery as `readDelivery` of the scripts answers it. */
export function parseListedDelivery(reply: ScriptReply, ref: WebhookRef): ListedDelivery {
  return parseDelivery(reply, ref, parseListedAttempt);
}

/** The same with what receivers answered, as `addResponses` of the scripts adds it. */
export function parseDeliveryRecord(reply: ScriptReply, ref: WebhookRef): DeliveryRecord {
  return parseDelivery(reply, ref, parseAttempt);
}

function parseDelivery<Attempt>(
  reply: ScriptReply,
  { accountId, webhookId }: WebhookRef,
  parseEach: (reply: ScriptReply) => Attempt,
) {
  return {
    accountId,
    webhookId,
    deliveryId: reply.text(),
    event: reply.text(),
    sequence: reply.integer(),
    state: reply.outcome(DELIVERY_STATES),
    deadReason: reply.outcome([...DEAD_REASONS, '']) || null,
    createdAtMs: reply.integer(),
    nextAttemptAtMs: reply.integer() || null,
    attempts: Array.from(reply.list().lists(), parseEach),
  };
}

/** Reads the answer of the scripts that schedule deliveries of one webhook in batches. `null`: no such webhook. */
export function parseScheduledBatch(
  reply: ScriptReply,
  { accountId, webhookId }: WebhookRef,
): ScheduledBatch | null {
  if (reply.outcome(['scheduled', 'unknown']) === 'unknown') return null;
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

/** Reads the delivery that is next, as `nextInLine` of the scripts answers it. */
export function parseNext(reply: ScriptReply, { accountId, webhookId }: WebhookRef): NextDelivery {
  const deliveryId = reply.text();
  const run = reply.integer();
  const delayMs = reply.integer();
  return deliveryId === '' ? null : { accountId, webhookId, deliveryId, run, delayMs };
}

/** The result of an attempt without the response, as one field of the hash. */
export function serialiseResult({ status, durationMs, error }: AttemptResult): string {
  return JSON.stringify([status, durationMs, error]);
}

/** The response, as another field. */
export function serialiseResponse({ response }: AttemptResult): string {
  return JSON.stringify(response);
}

/** Reads an attempt: its number, then its start and its result as `logAttempt` of the scripts wrote them. */
function parseListedAttempt(reply: ScriptReply): ListedAttempt {
  const attempt = reply.integer();
  const text = reply.text();
  const space = text.indexOf(' ');
  const startedAtMs = Number(text.slice(0, space));
  const result: unknown = JSON.parse(text.slice(space + 1));
  if (Number.isSafeInteger(startedAtMs) && Array.isArray(result)) {
    const [status, durationMs, error]: readonly unknown[] = result;
    if (
      (status === null || typeof status === 'number') &&
      typeof durationMs === 'number' &&
      (error === null || typeof error === 'string')
    ) {
      return { attempt, startedAtMs, status, durationMs, error };
    }
  }
  throw new Error('Redis holds a malformed attempt of a delivery.');
}

function parseAttempt(reply: ScriptReply): AttemptRecord {
  const listed = parseListedAttempt(reply);
  const response: unknown = JSON.parse(reply.text());
  if (response === null || typeof response === 'string') return { ...listed, response };
  throw new Error('Redis holds a malformed response to a delivery.');
}
