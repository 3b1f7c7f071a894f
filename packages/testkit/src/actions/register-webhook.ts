import assert from 'node:assert/strict';
import type { NewWebhook, WebhookRecord, WebhookStore } from '@latchhook/core/storage';
import { newWebhook, POLICY } from '../samples/webhook-samples.ts';

/** Registers a webhook, which must succeed. */
export async function register(
  webhooks: WebhookStore,
  webhookId: string,
  change: Partial<NewWebhook> = {},
): Promise<WebhookRecord> {
  const created = await webhooks.create(newWebhook(webhookId, change), POLICY);
  if (created.outcome === 'created') return created.webhook;
  assert.fail(`expected the webhook to be created, not ${created.outcome}`);
}

/** The result of a transition of a webhook that must exist. */
export function assertFound<Result>(result: Result | null): Result {
  return result ?? assert.fail('the store knows no such webhook');
}

export function sortedByWebhook<Item extends { readonly webhookId: string }>(
  items: readonly Item[],
): Item[] {
  return items.toSorted((a, b) => a.webhookId.localeCompare(b.webhookId));
}
