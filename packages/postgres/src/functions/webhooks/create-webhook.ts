import type { CreateWebhookOutcome, NewWebhook } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseWebhookRecord } from '../../webhook-record.ts';

/**
 * Registers a webhook, unless its account has reached the limit.
 *
 * Outcomes: `created`, with the record; `limit_reached`. If the id is known, nothing changes: the outcome is `created`
 * with the existing record.
 *
 * Webhooks of one account are created one at a time. Otherwise parallel calls could all create the last webhook that
 * the limit allows, and lists would not be in the order of creation.
 */
export const createWebhookFunction = defineFunction({
  name: 'create_webhook',
  args: { accountId: 'account', webhookId: 'text', webhook: 'json', maxPerAccount: 'bigint' },
  declare: 'w webhooks;',
  body: `
-- Not the lock of lock_account, which claims hold: no existing queue changes.
PERFORM pg_advisory_xact_lock(hashtextextended('latchhook webhooks ' || p_account_id, 0));
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
SELECT * INTO w FROM webhooks WHERE account_id = p_account_id AND webhook_id = p_webhook_id;
IF NOT FOUND THEN
  IF (SELECT count(*) FROM webhooks WHERE account_id = p_account_id) >= p_max_per_account THEN
    RETURN json_build_object('outcome', 'limit_reached');
  END IF;
  INSERT INTO webhooks (account_id, webhook_id, sequence, event, url, rate_limit, rate_limit_period, secrets,
    created_at_ms, updated_at_ms)
  VALUES (p_account_id, p_webhook_id,
    -- Derived from the time, as a counter for all accounts would reveal how many webhooks there are.
    greatest(now_ms, (SELECT max(sequence) + 1 FROM webhooks WHERE account_id = p_account_id)),
    p_webhook ->> 'event', p_webhook ->> 'url',
    (p_webhook ->> 'rateLimit')::bigint, p_webhook ->> 'rateLimitPeriod',
    json_build_array(json_build_object('encrypted', p_webhook ->> 'encryptedSecret', 'retiresAtMs', NULL)),
    now_ms, now_ms)
  RETURNING * INTO w;
  INSERT INTO queues (queue, account_id) VALUES (w.queue, w.account_id);
END IF;
RETURN json_build_object('outcome', 'created', 'webhook', webhook_record(w, now_ms));
`,
});

export async function createWebhook(
  call: CallFunction,
  webhook: NewWebhook,
  { maxPerAccount }: { readonly maxPerAccount: number },
): Promise<CreateWebhookOutcome> {
  const { accountId, webhookId, event, url, rateLimit, rateLimitPeriod, encryptedSecret } = webhook;
  const result = await call(createWebhookFunction, {
    accountId,
    webhookId,
    webhook: { event, url, rateLimit, rateLimitPeriod, encryptedSecret },
    maxPerAccount,
  });
  const outcome = result.outcome(['created', 'limit_reached']);
  if (outcome === 'limit_reached') return { outcome };
  return { outcome, webhook: parseWebhookRecord(result.object('webhook')) };
}
