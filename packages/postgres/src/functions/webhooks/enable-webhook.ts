import type { WebhookRecord, WebhookRef } from '@latchhook/core';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseWebhookOrNull } from '../../webhook-record.ts';

/**
 * Takes back that a webhook is disabled, and forgets how long it has been failing. Outcome: `found`, with the
 * record or `null`.
 */
export const enableWebhookFunction = defineFunction({
  name: 'enable_webhook',
  args: { accountId: 'bigint', webhookId: 'text' },
  declare: 'w webhooks;',
  body: `
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'found', 'webhook', NULL); END IF;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
IF w.disabled_at_ms IS NOT NULL THEN w.updated_at_ms := now_ms; END IF;
w.disabled_at_ms := NULL;
w.disabled_reason := NULL;
UPDATE webhooks
   SET disabled_at_ms = NULL, disabled_reason = NULL, failing_since_ms = NULL,
       updated_at_ms = w.updated_at_ms
 WHERE sequence = w.sequence;
RETURN json_build_object('outcome', 'found', 'webhook', webhook_record(w, now_ms));
`,
});

export async function enableWebhook(
  call: CallFunction,
  { accountId, webhookId }: WebhookRef,
): Promise<WebhookRecord | null> {
  const answer = await call(enableWebhookFunction, { accountId, webhookId });
  return parseWebhookOrNull(answer);
}
