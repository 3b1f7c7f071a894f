import type { WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Removes a webhook. Outcomes: `removed`; `unknown`.
 *
 * Without its webhook no delivery is found. Deliveries are deleted little by little (`forget`), so that removing a
 * webhook is as quick with a million of them as with none. A webhook that never had one leaves nothing behind: a client
 * may register and remove webhooks as quickly as it can. Those in the webhook's queue are deleted with their messages.
 */
export const removeWebhookFunction = defineFunction({
  name: 'remove_webhook',
  args: { accountId: 'bigint', webhookId: 'text' },
  declare: `
w webhooks;
v_in_flight bigint;
`,
  body: `
PERFORM lock_account(p_account_id);
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'unknown'); END IF;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
DELETE FROM webhooks WHERE sequence = w.sequence;
DELETE FROM queues WHERE queue = w.sequence;
DELETE FROM queue_leases WHERE account_id = p_account_id AND queue = w.sequence AND message = ANY (ARRAY(
  SELECT message FROM queue_leases WHERE account_id = p_account_id AND queue = w.sequence FOR UPDATE SKIP LOCKED));
GET DIAGNOSTICS v_in_flight = ROW_COUNT;
PERFORM wake_capped(p_account_id, v_in_flight, now_ms);
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
