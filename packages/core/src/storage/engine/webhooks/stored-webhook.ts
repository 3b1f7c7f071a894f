import type { QueueState } from '../../decisions/queue-state.ts';
import type { WebhookRecord } from '../../webhook-store.ts';
import { keyOf, sortKeyOf } from '../engine-calls.ts';
import type { RangeRequest, Row } from '../storage-engine.ts';

/** A webhook with its queue. Replaced as a whole, never changed in place. */
export interface StoredWebhook {
  readonly record: WebhookRecord;
  readonly queue: QueueState;
  /** Unique to this webhook: a webhook that is created with the id of a removed one gets another `queueId`. */
  readonly queueId: string;
  /** When it was last stored, ms. */
  readonly savedAtMs: number;
}

export function webhookKey(webhookId: string): string {
  return keyOf('webhook', webhookId);
}

/** @param partition - the partition of its account */
export function webhookRow(webhook: StoredWebhook, partition: string): Row {
  const { record, queue } = webhook;
  const { dueAtMs } = queue;
  return {
    key: webhookKey(record.webhookId),
    value: webhook,
    indexes: {
      webhook: webhookSortKey(partition, record.sequence),
      event: `${keyOf('event', record.event)}:${sortKeyOf(record.sequence)}`,
      ...(dueAtMs !== null && { due: sortKeyOf(dueAtMs) }),
    },
    expiresAtMs: null,
  };
}

export function webhookIn({ value }: Row): StoredWebhook {
  return value as StoredWebhook;
}

/** The indexes of webhooks: by creation, by event and creation, and by due time. */
export type WebhookIndex = 'webhook' | 'event' | 'due';

/** The range of an event's webhooks in the index `event`. */
export function rangeOfEvent(event: string): RangeRequest {
  const name = keyOf('event', event);
  // Letters sort after all digits.
  return { from: `${name}:`, before: `${name}:A` };
}

/**
 * The sort key of a webhook in the index `webhook`: by account, and within the account by sequence. Unlike the sort
 * keys in the other indexes it has the partition, because `listEncrypted` uses it as a cursor over all accounts.
 */
export function webhookSortKey(partition: string, sequence: number): string {
  return `${partition}:${sortKeyOf(sequence)}`;
}
