import type { WebhookRecord, WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseWebhookOrNull } from '../../webhook-record.ts';

/** Finds a webhook. Outcome: `found`, with the record or `null`. */
export const findWebhookFunction = defineFunction({
  name: 'find_webhook',
  args: { accountId: 'account', webhookId: 'text' },
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
RETURN json_build_object('outcome', 'found', 'webhook', (
  SELECT webhook_record(w, now_ms) FROM webhooks w
   WHERE account_id = p_account_id AND webhook_id = p_webhook_id));
`,
});

export async function findWebhook(
  call: CallFunction,
  ref: WebhookRef,
): Promise<WebhookRecord | null> {
  return parseWebhookOrNull(await call(findWebhookFunction, ref));
}
