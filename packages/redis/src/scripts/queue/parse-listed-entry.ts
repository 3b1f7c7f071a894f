import {
  DEAD_REASONS,
  type ListedDelivery,
  listedDelivery,
  UNTRIED,
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

/** The states of `deliveryText`. */
const STATES = ['waiting', 'delivered', 'failed'] as const;

/** What a delivery that is in flight waits for. */
const IN_FLIGHT = { for: 'end_of_attempt' } as const;

/** Parses an entry of the log of a webhook, which may be disabled. */
export function parseListedEntry(
  reply: ScriptReply,
  { accountId, webhookId }: WebhookRef,
  isDisabled: boolean,
): ListedDelivery {
  const { at } = LISTED_ENTRY;
  const deliveryId = reply.at(at.deliveryId).text();
  const sequence = reply.at(at.sequence).integer();
  const [createdAt = '', , event = ''] = reply.at(at.firstLine).text().split(' ');
  const stored = parseText(reply.at(at.text).text());
  // The text may belong to an earlier, expired message with the same id.
  const progress = stored?.sequence === sequence ? stored : UNTRIED;
  const score = reply.at(at.retryAtMs).text();
  // A returned delivery has a negative score, and is claimed next.
  const atMs = score === '' || score.startsWith('-') ? null : Math.ceil(Number(score));
  const isWaiting = reply.at(at.isWaiting).integer() === 1;
  const wait = isWaiting ? ({ for: 'retry', atMs } as const) : IN_FLIGHT;
  const createdAtMs = Number(createdAt);
  return listedDelivery(
    { accountId, webhookId, deliveryId, event, sequence, createdAtMs, progress, wait },
    isDisabled,
  );
}

/** Parses the text that `deliveryText` wrote. */
function parseText(text: string) {
  if (text === '') return null;
  const [head = '', ...lines] = text.split('\n');
  const [sequence = '', stateText, attempt = '', , , , , , reasonText] = head.split(' ');
  return {
    sequence: Number(sequence),
    state: STATES.find((one) => one === stateText) ?? 'waiting',
    attempt: Number(attempt),
    reason: DEAD_REASONS.find((one) => one === reasonText) ?? null,
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
