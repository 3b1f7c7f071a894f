import {
  MAX_RATE_LIMIT,
  type WebhookChange,
  type WebhookRecord,
  type WebhookRef,
} from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseWebhookOrNull } from '../../webhook-record.ts';

/**
 * Changes fields of a webhook; a new URL ends its backoff. Outcome: `found`, with the record or `null`. If no field
 * differs, nothing is written, so that a repeated call has the same result.
 */
export const changeWebhookFunction = defineFunction({
  name: 'change_webhook',
  args: { accountId: 'account', webhookId: 'text', change: 'json' },
  declare: `
w webhooks;
v_before webhooks;
`,
  body: `
PERFORM lock_account(p_account_id);
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'found', 'webhook', NULL); END IF;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
v_before := w;
w.url := coalesce(p_change ->> 'url', w.url);
w.rate_limit := coalesce((p_change ->> 'rateLimit')::bigint, w.rate_limit);
w.rate_limit_period := coalesce(p_change ->> 'rateLimitPeriod', w.rate_limit_period);
IF (w.url, w.rate_limit, w.rate_limit_period)
    <> (v_before.url, v_before.rate_limit, v_before.rate_limit_period) THEN
  w.updated_at_ms := now_ms;
  UPDATE webhooks
     SET url = w.url,
         rate_limit = w.rate_limit, rate_limit_period = w.rate_limit_period,
         updated_at_ms = w.updated_at_ms
   WHERE queue = w.queue;
  UPDATE queues
     SET backoff_until_ms = CASE WHEN w.url = v_before.url THEN backoff_until_ms ELSE now_ms END,
         due_at_ms = CASE WHEN due_at_ms IS NOT NULL THEN least(due_at_ms, now_ms) END
   WHERE queue = w.queue;
  IF w.rate_limit_period = 'minute' AND v_before.rate_limit_period <> 'minute' THEN
    -- Starts that have left the window of a second are no longer known, so the window is filled with as many as the
    -- highest possible limit.
    UPDATE queues SET starts = ARRAY[${MAX_RATE_LIMIT}], starts_at_ms = starts_at_ms[cardinality(starts_at_ms):]
     WHERE queue = w.queue AND starts <> '{}';
  END IF;
  PERFORM notify_workers();
END IF;
RETURN json_build_object('outcome', 'found', 'webhook', webhook_record(w, now_ms));
`,
});

export async function changeWebhook(
  call: CallFunction,
  ref: WebhookRef,
  { url, rateLimit, rateLimitPeriod }: WebhookChange,
): Promise<WebhookRecord | null> {
  const change = { url, rateLimit, rateLimitPeriod };
  return parseWebhookOrNull(await call(changeWebhookFunction, { ...ref, change }));
}
