import type { QueueState } from '../../decisions/queue-state.ts';
import type { WebhookRecord } from '../../webhook-store.ts';
import { nameOf, placeOf } from '../engine-calls.ts';
import type { Row } from '../storage-engine.ts';

/** A webhook with its queue. Replaced as a whole, never changed in place. */
export interface StoredWebhook {
  readonly record: WebhookRecord;
  readonly queue: QueueState;
  /** Unique to this webhook. A webhook that is created with the id of a removed one has another. */
  readonly queueId: string;
  /** When it was last stored, ms. */
  readonly savedAtMs: number;
}

export function webhookKey(webhookId: string): string {
  return nameOf('webhook', webhookId);
}

/** @param partition - the partition of its account */
export function webhookRow(webhook: StoredWebhook, partition: string): Row {
  const { record, queue } = webhook;
  const { dueAtMs } = queue;
  return {
    key: webhookKey(record.webhookId),
    value: { ...webhook },
    indexes: {
      webhook: webhookPlace(partition, record.sequence),
      ...(dueAtMs !== null && { due: placeOf(dueAtMs) }),
    },
    expiresAtMs: null,
  };
}

export function webhookIn({ value }: Row): StoredWebhook {
  return value as StoredWebhook;
}

/** The place of a webhook: by account, for listing all accounts, and within it by sequence. */
export function webhookPlace(partition: string, sequence: number): string {
  return `${partition}:${placeOf(sequence)}`;
}
