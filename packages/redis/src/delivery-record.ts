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
  type ScheduledDelivery,
  type WebhookRef,
} from '@latchhook/core/storage';
import { defineRecord } from './define-record.ts';
import type { ScriptReply } from './script-reply.ts';

/** A delivery, as `readDelivery` of the scripts answers it: `dueAtMs` is when it is scheduled for. */
export const DELIVERY = defineRecord({
  stored: ['event', 'sequence', 'state', 'deadReason', 'createdAtMs', 'expiresAtMs', 'attempt'],
  added: ['deliveryId', 'dueAtMs', 'attempts'],
});

/**
 * An attempt, as `attemptsOf` of the scripts answers it: `result` is its start and its result, as `logAttempt` writes
 * them. `addResponses` reads `response` (JSON).
 */
export const ATTEMPT = defineRecord({ added: ['attempt', 'result', 'response'] });

/** A delivery that is to start, as `beginRun` of the scripts answers it. */
export const SCHEDULED = defineRecord({ added: ['deliveryId', 'run', 'delayMs'] });

export function parseListedDelivery(reply: ScriptReply, ref: WebhookRef): ListedDelivery {
  return parseDelivery(reply, ref, parseListedAttempt);
}

/** The same with what receivers answered. */
export function parseDeliveryRecord(reply: ScriptReply, ref: WebhookRef): DeliveryRecord {
  return parseDelivery(reply, ref, parseAttempt);
}

function parseDelivery<Attempt>(
  reply: ScriptReply,
  { accountId, webhookId }: WebhookRef,
  parseEach: (reply: ScriptReply) => Attempt,
) {
  const { at } = DELIVERY;
  return {
    accountId,
    webhookId,
    deliveryId: reply.at(at.deliveryId).text(),
    event: reply.at(at.event).text(),
    sequence: reply.at(at.sequence).integer(),
    state: reply.at(at.state).outcome(DELIVERY_STATES),
    deadReason: reply.at(at.deadReason).orNull()?.outcome(DEAD_REASONS) ?? null,
    createdAtMs: reply.at(at.createdAtMs).integer(),
    nextAttemptAtMs: reply.at(at.dueAtMs).orNull()?.integer() ?? null,
    attempts: Array.from(reply.at(at.attempts).list().lists(), parseEach),
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
  const ref = { accountId, webhookId };
  const scheduled = Array.from(reply.list().lists(), (each) => parseScheduled(each, ref));
  return { scheduled, count, more };
}

export function parseScheduled(
  reply: ScriptReply,
  { accountId, webhookId }: WebhookRef,
): ScheduledDelivery {
  const { at } = SCHEDULED;
  return {
    accountId,
    webhookId,
    deliveryId: reply.at(at.deliveryId).text(),
    run: reply.at(at.run).integer(),
    delayMs: reply.at(at.delayMs).integer(),
  };
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

function parseListedAttempt(reply: ScriptReply): ListedAttempt {
  const attempt = reply.at(ATTEMPT.at.attempt).integer();
  const text = reply.at(ATTEMPT.at.result).text();
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
  const response: unknown = JSON.parse(reply.at(ATTEMPT.at.response).text());
  if (response === null || typeof response === 'string') return { ...listed, response };
  throw new Error('Redis holds a malformed response to a delivery.');
}
