import type { WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Removes a webhook. Outcomes: `removed`; `unknown`.
 *
 * Deliveries are kept until their messages are deleted, so that the time to remove a webhook does not depend on the
 * number of deliveries; without the webhook no call finds them. Leases of attempts that another transaction is just
 * completing are skipped: should that transaction roll back, they expire.
 */
export const removeWebhookFunction = defineFunction({
  name: 'remove_webhook',
  args: { accountId: 'account', webhookId: 'text' },
  declare: `
w webhooks;
v_in_flight bigint;
`,
  body: `
PERFORM lock_account(p_account_id);
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'unknown'); END IF;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
DELETE FROM webhooks WHERE queue = w.queue;
DELETE FROM leases WHERE account_id = p_account_id AND queue = w.queue AND message = ANY (ARRAY(
  SELECT message FROM leases WHERE account_id = p_account_id AND queue = w.queue FOR UPDATE SKIP LOCKED));
GET DIAGNOSTICS v_in_flight = ROW_COUNT;
DELETE FROM queues WHERE queue = w.queue;
-- At least one: the removed webhook may have been due to use a permit that has become free.
IF unblock_capped(p_account_id, greatest(1, v_in_flight)) THEN PERFORM notify_workers(); END IF;
RETURN json_build_object('outcome', 'removed');
`,
});

export async function removeWebhook(call: CallFunction, ref: WebhookRef): Promise<boolean> {
  const result = await call(removeWebhookFunction, ref);
  return result.outcome(['removed', 'unknown']) === 'removed';
}
