import type { QueueState } from '../../decisions/queue-state.ts';
import type { WebhookRecord } from '../../webhook-store.ts';
import { nameOf, placeOf } from '../engine-calls.ts';
import type { RangeRequest, Row } from '../storage-engine.ts';

/** A webhook with its queue. Replaced as a whole, never changed in place. */
export interface StoredWebhook {
  readonly record: WebhookRecord;
  readonly queue: QueueState;
  /** Of this webhook alone: one that is created under the id of a removed one has another. */
  readonly queueId: string;
  /** When it was last stored, ms. */
  readonly savedAtMs: number;
}

export function webhookKey(webhookId: string): string {
  return nameOf('webhook', webhookId);
}

/** @param partition - of its account */
export function webhookRow(webhook: StoredWebhook, partition: string): Row {
  const { record, queue } = webhook;
  const { dueAtMs } = queue;
  return {
    key: webhookKey(record.webhookId),
    value: { ...webhook },
    indexes: {
      webhook: webhookPlace(partition, record.sequence),
      event: `${nameOf('event', record.event)}:${placeOf(record.sequence)}`,
      ...(dueAtMs !== null && { due: placeOf(dueAtMs) }),
    },
    expiresAtMs: null,
  };
}

export function webhookIn({ value }: Row): StoredWebhook {
  return value as StoredWebhook;
}

/** The indexes of webhooks: in the order of creation, of an event in that order, and by when they are due. */
export type WebhookIndex = 'webhook' | 'event' | 'due';

/** The webhooks of an event, in the index `event`. */
export function rangeOfEvent(event: string): RangeRequest {
  const name = nameOf('event', event);
  // Letters come after all digits.
  return { from: `${name}:`, before: `${name}:A` };
}

/** By account, for the walk over all of them; within it, by sequence. */
export function webhookPlace(partition: string, sequence: number): string {
  return `${partition}:${placeOf(sequence)}`;
}
