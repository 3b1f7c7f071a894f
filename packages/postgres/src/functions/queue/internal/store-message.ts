import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../deliveries/internal/define-step.ts';
import { forgetPast } from '../../internal/forget-past.ts';

/**
 * `known_message(m, p_now_ms)`: the outcome `duplicate` where a message was published before, under its key or its id;
 * `NULL` where it was not.
 */
export const knownMessage: SqlDefinition = defineStep({
  name: 'known_message',
  params: 'm queue_outbox, p_now_ms bigint',
  returns: 'json',
  declare: `
  v_message_id text;
  v_deliveries bigint;
`,
  body: `
  IF m.idempotency_key IS NOT NULL THEN
    SELECT message_id, deliveries INTO v_message_id, v_deliveries FROM idempotency_keys
     WHERE account_id = m.account_id AND idempotency_key = m.idempotency_key AND expires_at_ms > p_now_ms;
  END IF;
  IF v_message_id IS NULL THEN
    SELECT message_id, cardinality(queues) INTO v_message_id, v_deliveries FROM queue_messages
     WHERE account_id = m.account_id AND message_id = m.message_id AND expires_at_ms > p_now_ms;
  END IF;
  IF v_message_id IS NULL THEN RETURN NULL; END IF;
  RETURN json_build_object('outcome', 'duplicate', 'messageId', v_message_id, 'deliveries', v_deliveries);
`,
});

/** `recipients(m)`: the queues of the webhooks that a message is for. */
export const recipients: SqlDefinition = defineStep({
  name: 'recipients',
  params: 'm queue_outbox',
  returns: 'bigint[]',
  body: `
  IF m.webhook_id IS NULL THEN
    RETURN ARRAY(SELECT sequence FROM webhooks WHERE account_id = m.account_id AND event = m.event);
  END IF;
  RETURN ARRAY(SELECT sequence FROM webhooks WHERE account_id = m.account_id AND webhook_id = m.webhook_id);
`,
});

/**
 * `store_message(m, p_now_ms)`: stores a message and a delivery for each of its webhooks. It locks no queue, and no
 * claim sees it before `announce`.
 *
 * Outcomes: `published`, with the number of deliveries, those that it made expire, and the number of the message
 * (`null`: it is for no webhook); `duplicate`; `unknown`.
 *
 * The message's number is the time in microseconds, and so in the order of publishing, and tells a client nothing of
 * other accounts. Where another has the number already, it gets the next. Of parallel calls with one key or id, one
 * inserts it; the others wait for that one, and find it.
 */
export const storeMessage: SqlDefinition = defineStep({
  name: 'store_message',
  params: 'm queue_outbox, p_now_ms bigint',
  returns: 'json',
  declare: `
  now_ms bigint := p_now_ms;
  v_answer json := known_message(m, p_now_ms);
  v_queues bigint[];
  v_message bigint;
  v_known queue_messages;
  v_expired json := '[]';
`,
  body: `
  IF v_answer IS NOT NULL THEN RETURN v_answer; END IF;
  v_queues := recipients(m);
  IF v_queues = '{}' AND m.webhook_id IS NOT NULL THEN
    RETURN json_build_object('outcome', 'unknown');
  END IF;
  IF m.idempotency_key IS NOT NULL THEN
    INSERT INTO idempotency_keys AS known (account_id, idempotency_key, message_id, deliveries, expires_at_ms)
    VALUES (m.account_id, m.idempotency_key, m.message_id, cardinality(v_queues), p_now_ms + m.idempotency_ms)
    ON CONFLICT (account_id, idempotency_key) DO UPDATE
       SET message_id = excluded.message_id, deliveries = excluded.deliveries,
           expires_at_ms = excluded.expires_at_ms
     WHERE known.expires_at_ms <= p_now_ms;
    IF NOT FOUND THEN RETURN known_message(m, p_now_ms); END IF;
    ${forgetPast('idempotency_keys', 'expires_at_ms')}
  END IF;
  IF v_queues <> '{}' THEN
    v_message := extract(epoch FROM clock_timestamp()) * 1000000;
    LOOP
      INSERT INTO queue_messages
        (message, account_id, message_id, event, body, queues, created_at_ms, expires_at_ms)
      VALUES (v_message, m.account_id, m.message_id, m.event, m.body, v_queues, p_now_ms,
        p_now_ms + m.retention_ms)
      ON CONFLICT DO NOTHING;
      EXIT WHEN FOUND;
      SELECT * INTO v_known FROM queue_messages
       WHERE account_id = m.account_id AND message_id = m.message_id;
      IF v_known.expires_at_ms > p_now_ms THEN
        -- A call with the same id under another key, or none, was quicker: nothing was published under this key.
        DELETE FROM idempotency_keys
         WHERE account_id = m.account_id AND idempotency_key = m.idempotency_key;
        RETURN known_message(m, p_now_ms);
      ELSIF v_known.message IS NULL THEN
        v_message := v_message + 1;
      ELSE
        PERFORM forget_messages(ARRAY[v_known.message]);
      END IF;
    END LOOP;
    INSERT INTO queue_deliveries (queue, message) SELECT queue, v_message FROM unnest(v_queues) AS listed (queue);
    v_expired := expire_excess(m.account_id, v_queues, m.max_queued);
  END IF;
  RETURN json_build_object('outcome', 'published', 'messageId', m.message_id,
    'deliveries', cardinality(v_queues), 'expired', v_expired, 'message', v_message);
`,
});

/**
 * `announce(p_accounts, p_messages, p_now_ms)`: has the next claim see messages, given with their accounts. It is a row
 * for each account, however many messages there are.
 */
export const announce: SqlDefinition = defineStep({
  name: 'announce',
  params: 'p_accounts bigint[], p_messages bigint[], p_now_ms bigint',
  returns: 'void',
  body: `
  INSERT INTO queue_arrivals (account_id, messages, written_at_ms)
  SELECT account_id, array_agg(message), p_now_ms
    FROM unnest(p_accounts, p_messages) AS stored (account_id, message)
   GROUP BY account_id;
`,
});
