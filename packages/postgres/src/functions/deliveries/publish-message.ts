import type { CallDeadline, NewMessage, PublishOutcome } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parsePublished } from '../../published-message.ts';

/** After every so many deliveries of a webhook, up to twice as many forgotten rows of each kind are deleted. */
const FORGET_EVERY = 64;

/**
 * Stores a message and all of its deliveries, or nothing.
 *
 * `content` has event and body. Outcomes: `published`, with the number of deliveries, those scheduled and those that
 * expired; `duplicate`, with the first message's id and number of deliveries, and those that never started; `unknown`.
 */
export const publishMessageFunction = defineFunction({
  name: 'publish_message',
  byIndexes: true,
  args: {
    accountId: 'bigint',
    messageId: 'text',
    content: 'json',
    webhookId: 'text',
    idempotencyKey: 'text',
    idempotencyMs: 'bigint',
    retentionMs: 'bigint',
    maxQueued: 'bigint',
    rateMarginMs: 'bigint',
  },
  declare: `
m outbox;
v_webhooks webhooks[];
v_answer json;
`,
  body: `
m := ROW(NULL, p_account_id, p_message_id, p_content ->> 'event', p_content ->> 'body', p_webhook_id,
  p_idempotency_key, p_idempotency_ms, p_retention_ms, p_max_queued, p_rate_margin_ms, NULL);
v_webhooks := lock_recipients(m);
now_ms := enter(p_landing_limit_ms, p_clock_ms);
v_answer := spread_message(m, v_webhooks, now_ms);
IF EXISTS (SELECT FROM unnest(v_webhooks) AS w WHERE (w.last_delivery + 1) % ${FORGET_EVERY} = 0) THEN
  PERFORM forget(now_ms, ${2 * FORGET_EVERY});
END IF;
RETURN v_answer;
`,
});

export async function publishMessage(
  call: CallFunction,
  message: NewMessage,
  deadline: CallDeadline,
): Promise<PublishOutcome> {
  const { accountId, messageId, event, body, webhookId, idempotencyKey } = message;
  const { idempotencyMs, retentionMs, maxQueued, rateMarginMs } = message;
  const published = {
    accountId,
    messageId,
    content: { event, body },
    webhookId,
    idempotencyKey,
    idempotencyMs,
    retentionMs,
    maxQueued,
    rateMarginMs,
  };
  const answer = await call(publishMessageFunction, published, deadline);
  return parsePublished(accountId, answer);
}
