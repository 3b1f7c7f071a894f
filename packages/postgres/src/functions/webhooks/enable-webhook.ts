import type { EnableWebhookOutcome, WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseWebhookRecord } from '../../webhook-record.ts';

/**
 * Enables a webhook, ends its backoff, and clears `failing_since_ms`. Outcomes: `enabled`; `already_enabled`, if the
 * webhook was not disabled; `unknown`. The first two have the record.
 */
export const enableWebhookFunction = defineFunction({
  name: 'enable_webhook',
  args: { accountId: 'account', webhookId: 'text' },
  declare: `
w webhooks;
v_outcome text := 'already_enabled';
`,
  body: `
PERFORM lock_account(p_account_id);
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'unknown'); END IF;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
IF w.disabled_at_ms IS NOT NULL THEN
  v_outcome := 'enabled';
  UPDATE webhooks SET disabled_at_ms = NULL, disabled_reason = NULL, updated_at_ms = now_ms
   WHERE queue = w.queue
  RETURNING * INTO w;
END IF;
UPDATE queues
   SET backoff_until_ms = now_ms, failing_since_ms = NULL, due_at_ms = least(due_at_ms, now_ms)
 WHERE queue = w.queue;
PERFORM notify_workers();
RETURN json_build_object('outcome', v_outcome, 'webhook', webhook_record(w, now_ms));
`,
});

export async function enableWebhook(
  call: CallFunction,
  ref: WebhookRef,
): Promise<EnableWebhookOutcome | null> {
  const result = await call(enableWebhookFunction, ref);
  const outcome = result.outcome(['enabled', 'already_enabled', 'unknown']);
  if (outcome === 'unknown') return null;
  return { outcome, webhook: parseWebhookRecord(result.object('webhook')) };
}
