import type { WebhookChange, WebhookRecord, WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseWebhookOrNull } from '../../webhook-record.ts';
import { CHANGE_VARIABLES, changeFields } from './change-fields.ts';

/**
 * Changes the given fields of a webhook. Outcome: `found`, with the record or `null`. Where nothing differs nothing is
 * written, so that a repeated call answers as the first.
 */
export const changeWebhookFunction = defineFunction({
  name: 'change_webhook',
  args: { accountId: 'bigint', webhookId: 'text', change: 'json' },
  declare: CHANGE_VARIABLES,
  body: changeFields(),
});

export async function changeWebhook(
  call: CallFunction,
  { accountId, webhookId }: WebhookRef,
  { url, rateLimit, rateLimitPeriod }: WebhookChange,
): Promise<WebhookRecord | null> {
  const change = { url, rateLimit, rateLimitPeriod };
  const answer = await call(changeWebhookFunction, { accountId, webhookId, change });
  return parseWebhookOrNull(answer);
}
