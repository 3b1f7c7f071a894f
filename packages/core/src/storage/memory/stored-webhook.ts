import type { WebhookRecord } from '../webhook-store.ts';

/** One webhook. Its deliveries are their own queue: `WebhookQueue`. */
export interface StoredWebhook {
  /** Replaced by each transition, never changed in place, so that what was answered stays as it was. */
  record: WebhookRecord;
}
