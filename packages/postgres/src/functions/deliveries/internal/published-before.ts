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
 *
 * They are found one by one, by both keys: a join that names their state is planned, while the table has no statistics,
 * as if few waited, and would read all that wait.
 */
export const duplicate: SqlDefinition = defineStep({
  name: 'duplicate',
  params: 'p_account_id bigint, p_first_id text, p_deliveries bigint, p_now_ms bigint',
  returns: 'json',
  declare: `
  w webhooks;
  d deliveries;
  v_scheduled json[] := '{}';
`,
  body: `
  FOR w IN SELECT * FROM webhooks WHERE account_id = p_account_id LOOP
    SELECT * INTO d FROM deliveries WHERE webhook = w.sequence AND delivery_id = p_first_id;
    IF d.state = 'queued' AND d.expires_at_ms > p_now_ms THEN
      v_scheduled := v_scheduled || json_build_object('webhookId', w.webhook_id, 'deliveryId', d.delivery_id,
        'run', d.run, 'delayMs', greatest(0, d.due_at_ms - p_now_ms));
    END IF;
  END LOOP;
  RETURN json_build_object('outcome', 'duplicate', 'messageId', p_first_id, 'deliveries', p_deliveries,
    'scheduled', to_json(v_scheduled));
`,
});
