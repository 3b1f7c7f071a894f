import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `published_before(m, p_now_ms)`: the outcome `duplicate` where the message was published before, under its key or its
 * id; `NULL` where it was not.
 */
export const publishedBefore: SqlDefinition = defineStep({
  name: 'published_before',
  params: 'm outbox, p_now_ms bigint',
  returns: 'json',
  declare: `
  v_message_id text;
  v_deliveries bigint;
`,
  body: `
  IF m.idempotency_key IS NOT NULL THEN
    SELECT message_id, deliveries INTO v_message_id, v_deliveries FROM idempotency_keys
     WHERE account_id = m.account_id AND idempotency_key = m.idempotency_key
       AND expires_at_ms > p_now_ms;
  END IF;
  IF v_message_id IS NULL THEN
    SELECT message_id, deliveries INTO v_message_id, v_deliveries FROM messages
     WHERE account_id = m.account_id AND message_id = m.message_id AND expires_at_ms > p_now_ms;
  END IF;
  IF v_message_id IS NULL THEN RETURN NULL; END IF;
  RETURN duplicate(m.account_id, v_message_id, v_deliveries, p_now_ms);
`,
});

/**
 * `duplicate(p_account_id, p_first_id, p_deliveries, p_now_ms)`: the answer to who publishes what is published already:
 * how many deliveries it has, and those that never started, which the engine may not have.
 */
export const duplicate: SqlDefinition = defineStep({
  name: 'duplicate',
  params: 'p_account_id bigint, p_first_id text, p_deliveries bigint, p_now_ms bigint',
  returns: 'json',
  body: `
  RETURN json_build_object(
    'outcome', 'duplicate', 'messageId', p_first_id, 'deliveries', p_deliveries,
    'scheduled', (
      SELECT coalesce(json_agg(json_build_object('webhookId', w.webhook_id, 'deliveryId', d.delivery_id,
               'run', d.run, 'delayMs', greatest(0, d.due_at_ms - p_now_ms))), '[]')
        FROM webhooks w JOIN deliveries d ON d.webhook = w.sequence AND d.delivery_id = p_first_id
       WHERE w.account_id = p_account_id AND d.state = 'queued' AND d.expires_at_ms > p_now_ms));
`,
});
