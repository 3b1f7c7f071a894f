import type { WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Removes a webhook. Outcomes: `removed`; `unknown`.
 *
 * Without its webhook no delivery is found. Deliveries are deleted little by little (`forget`), so that removing a
 * webhook is as quick with a million of them as with none. A webhook that never had one leaves nothing behind: a client
 * may register and remove webhooks as quickly as it can.
 */
export const removeWebhookFunction = defineFunction({
  name: 'remove_webhook',
  args: { accountId: 'bigint', webhookId: 'text' },
  declare: 'w webhooks;',
  body: `
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'unknown'); END IF;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
DELETE FROM webhooks WHERE sequence = w.sequence;
IF w.last_delivery > 0 THEN INSERT INTO removed_webhooks (webhook) VALUES (w.sequence); END IF;
RETURN json_build_object('outcome', 'removed');
`,
});

export async function removeWebhook(
  call: CallFunction,
  { accountId, webhookId }: WebhookRef,
): Promise<boolean> {
  const answer = await call(removeWebhookFunction, { accountId, webhookId });
  return answer.outcome(['removed', 'unknown']) === 'removed';
}
