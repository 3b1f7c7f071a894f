import {
  DEAD_REASONS,
  type DeadReason,
  type DeliveryState,
  type ListedDelivery,
  type WebhookRef,
} from '@latchhook/core/storage';
import { defineRecord } from '../../define-record.ts';
import type { ScriptReply } from '../../script-reply.ts';

/**
 * An entry of a log, as the script `queue/list` returns it. `firstLine` is that of the message; `text` is the result of
 * `deliveryText`, or empty; `retryAtMs` is the score in `retries`, or empty.
 */
export const LISTED_ENTRY = defineRecord({
  added: ['deliveryId', 'sequence', 'firstLine', 'text', 'retryAtMs', 'isWaiting'],
});

/** Parses an entry of the log of a webhook, which may be disabled. */
export function parseListedEntry(
  reply: ScriptReply,
  { accountId, webhookId }: WebhookRef,
  isDisabled: boolean,
): ListedDelivery {
  const { at } = LISTED_ENTRY;
  const deliveryId = reply.at(at.deliveryId).text();
  const sequence = reply.at(at.sequence).integer();
  const [createdAtMs = '', , event = ''] = reply.at(at.firstLine).text().split(' ');
  const text = parseText(reply.at(at.text).text());
  // The text may belong to an earlier, expired message with the same id.
  const delivery = text?.sequence === sequence ? text : null;
  const isWaiting = reply.at(at.isWaiting).integer() === 1;
  const state = stateOf(delivery, { isWaiting, isDisabled });
  return {
    accountId,
    webhookId,
    deliveryId,
    event,
    sequence,
    state,
    deadReason: delivery?.reason ?? null,
    createdAtMs: Number(createdAtMs),
    nextAttemptAtMs: state === 'waiting' ? nextAttemptOf(reply.at(at.retryAtMs).text()) : null,
    attempts: delivery?.attempts ?? [],
  };
}

/**
 * A returned delivery, which was claimed and not started, has no time of a next attempt: its score is negative, and it
 * is claimed next.
 */
function nextAttemptOf(score: string): number | null {
  return score === '' || score.startsWith('-') ? null : Math.ceil(Number(score));
}

function stateOf(
  delivery: { readonly state: string; readonly attempt: number } | null,
  { isWaiting, isDisabled }: { readonly isWaiting: boolean; readonly isDisabled: boolean },
): DeliveryState {
  if (delivery?.state === 'delivered') return 'delivered';
  if (delivery?.state === 'failed') return 'dead';
  if (!isWaiting) return 'sending';
  if (isDisabled) return 'held';
  return delivery === null || delivery.attempt === 0 ? 'queued' : 'waiting';
}

/** Parses the text that `deliveryText` wrote. */
function parseText(text: string) {
  if (text === '') return null;
  const [head = '', ...lines] = text.split('\n');
  const [sequence = '', state = '', attempt = '', , , , , , reasonText] = head.split(' ');
  const reason = DEAD_REASONS.find((one): one is DeadReason => one === reasonText) ?? null;
  return {
    sequence: Number(sequence),
    state,
    attempt: Number(attempt),
    reason,
    attempts: lines.map(parseAttempt),
  };
}

function parseAttempt(line: string): ListedDelivery['attempts'][number] {
  const fields: unknown = JSON.parse(line);
  if (Array.isArray(fields)) {
    const [attempt, startedAtMs, status, durationMs, error]: readonly unknown[] = fields;
    if (
      typeof attempt === 'number' &&
      typeof startedAtMs === 'number' &&
      (status === null || typeof status === 'number') &&
      typeof durationMs === 'number' &&
      (error === null || typeof error === 'string')
    ) {
      return { attempt, startedAtMs, status, durationMs, error };
    }
  }
  throw new Error('Redis holds a malformed attempt of a delivery.');
}
