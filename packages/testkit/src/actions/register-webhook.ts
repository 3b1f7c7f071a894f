import assert from 'node:assert/strict';
import type { NewWebhook, WebhookRecord, WebhookStore } from '@latchhook/core/storage';
import { newWebhook, POLICY } from '../samples/webhook-samples.ts';

/** Registers a webhook; it has to succeed. */
export async function register(
  webhooks: WebhookStore,
  webhookId: string,
  change: Partial<NewWebhook> = {},
): Promise<WebhookRecord> {
  const answer = await webhooks.create(newWebhook(webhookId, change), POLICY);
  if (answer.outcome === 'created') return answer.webhook;
  assert.fail(`expected the webhook to be created, not ${answer.outcome}`);
}

/** What a transition answers about a webhook that must be there. */
export function found<Answer>(answer: Answer | null): Answer {
  return answer ?? assert.fail('the store knows no such webhook');
}

export function byWebhook<Item extends { readonly webhookId: string }>(
  items: readonly Item[],
): Item[] {
  return items.toSorted((a, b) => a.webhookId.localeCompare(b.webhookId));
}
