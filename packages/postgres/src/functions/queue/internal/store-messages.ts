import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';
import { deleteExpired } from '../../internal/delete-expired.ts';
import { ENTRIES_READ } from './expire-excess.ts';
import { FORGET_EVERY } from './forget-messages.ts';

/**
 * `store_messages(p_messages, p_max_deliveries, p_now_ms)`: stores messages in their order, each with a delivery for
 * each of its webhooks. Returns the outcome of each message, as a JSON array. It stops once it has created
 * `p_max_deliveries` (`NULL`: no limit), so the array may be shorter than `p_messages`. Of a message that no webhook
 * receives, only the idempotency key is stored.
 *
 * Outcomes: `published`, with the number of deliveries and the deliveries that expired because a queue was full;
 * `duplicate`; `unknown`.
 *
 * It locks no queue. Instead it adds one row to `arrivals` for each account, with all messages of the account, for the
 * next claim.
 *
 * The number of a message is the time in microseconds. So numbers have the order of publishing, and reveal nothing
 * about other accounts. If a number is taken, the message gets the next free one. If parallel calls have the same key
 * or id, one call inserts it; the others wait for this call and return `duplicate`. If there are several messages,
 * their keys and ids are locked first, in sorted order.
 */
export const storeMessages: SqlDefinition = defineStep({
  name: 'store_messages',
  params: 'p_messages outbox[], p_max_deliveries bigint, p_now_ms bigint',
  returns: 'json',
  declare: `
  -- For the statement of deleteExpired.
  now_ms bigint := p_now_ms;
  m outbox;
  v_outcome json;
  v_queues bigint[];
  v_message bigint := 0;
  v_former_message messages;
  v_expired json;
  v_delivery_count bigint := 0;
  v_results json[] := '{}';
  v_accounts text[] := '{}';
  v_stored bigint[] := '{}';
`,
  body: `
  -- Locks in sorted order, as two calls with the same messages in different orders would otherwise deadlock.
  IF cardinality(p_messages) > 1 THEN
    PERFORM pg_advisory_xact_lock(name) FROM (
      SELECT DISTINCT hashtextextended(listed.name, 'messages'::regclass::oid::bigint) AS name
        FROM unnest(p_messages) AS of_message
       CROSS JOIN LATERAL (VALUES (of_message.account_id || ' id ' || of_message.message_id),
         (of_message.account_id || ' key ' || of_message.idempotency_key)) AS listed (name)
       WHERE listed.name IS NOT NULL ORDER BY 1) names;
  END IF;
  FOREACH m IN ARRAY p_messages LOOP
    EXIT WHEN v_delivery_count >= p_max_deliveries;
    v_outcome := NULL;
    v_expired := '[]';
    v_queues := recipients(m);
    -- Stores the idempotency key, unless the message is known. A message without a key is found by its id, if stored.
    IF m.idempotency_key IS NOT NULL OR v_queues = '{}' THEN
      v_outcome := known_message(m, p_now_ms);
      IF v_outcome IS NULL AND v_queues = '{}' AND m.webhook_id IS NOT NULL THEN
        v_outcome := json_build_object('outcome', 'unknown');
      ELSIF v_outcome IS NULL AND m.idempotency_key IS NOT NULL THEN
        INSERT INTO idempotency_keys AS known (account_id, idempotency_key, message_id, deliveries, expires_at_ms)
        VALUES (m.account_id, m.idempotency_key, m.message_id, cardinality(v_queues), p_now_ms + m.idempotency_ms)
        ON CONFLICT (account_id, idempotency_key) DO UPDATE
           SET message_id = excluded.message_id, deliveries = excluded.deliveries,
               expires_at_ms = excluded.expires_at_ms
         WHERE known.expires_at_ms <= p_now_ms;
        IF NOT FOUND THEN v_outcome := known_message(m, p_now_ms); END IF;
        ${deleteExpired('idempotency_keys', 'expires_at_ms')}
      END IF;
    END IF;
    -- Inserts the message under the next free number.
    IF v_outcome IS NULL AND v_queues <> '{}' THEN
      v_message := greatest(v_message + 1, extract(epoch FROM clock_timestamp()) * 1000000);
      LOOP
        INSERT INTO messages
          (message, account_id, message_id, event, body, queues, created_at_ms, expires_at_ms)
        VALUES (v_message, m.account_id, m.message_id, m.event, m.body, v_queues, p_now_ms,
          p_now_ms + m.retention_ms)
        ON CONFLICT DO NOTHING;
        EXIT WHEN FOUND;
        SELECT * INTO v_former_message FROM messages
         WHERE account_id = m.account_id AND message_id = m.message_id;
        IF v_former_message.message IS NULL THEN
          v_message := v_message + 1;
        ELSIF v_former_message.expires_at_ms <= p_now_ms THEN
          PERFORM forget_messages(ARRAY[v_former_message.message]);
        ELSE
          -- The id was known, but not the key. Nothing was published under this key, so the key is removed again.
          DELETE FROM idempotency_keys
           WHERE account_id = m.account_id AND idempotency_key = m.idempotency_key AND message_id = m.message_id;
          -- Not read again: by now another session may have deleted the former message as expired.
          v_outcome := json_build_object('outcome', 'duplicate', 'messageId', m.message_id,
            'deliveries', cardinality(v_former_message.queues), 'expired', json '[]');
          EXIT;
        END IF;
      END LOOP;
    END IF;
    -- Inserts its deliveries, records it for the next claim, and expires deliveries of queues that are full.
    IF v_outcome IS NULL AND v_queues <> '{}' THEN
      INSERT INTO deliveries (queue, message, created_at_ms) SELECT unnest(v_queues), v_message, p_now_ms;
      v_accounts := v_accounts || m.account_id;
      v_stored := v_stored || v_message;
      v_delivery_count := v_delivery_count + cardinality(v_queues);
      IF m.max_queued <= ${ENTRIES_READ} THEN
        v_expired := expire_excess(m.account_id, v_queues, m.max_queued, p_now_ms);
      ELSIF random() * m.max_queued < ${ENTRIES_READ} * cardinality(v_queues) THEN
        -- Checks one random queue. Each queue is as likely to be checked as if the draw were made for each separately.
        v_expired := expire_excess(m.account_id,
          ARRAY[v_queues[1 + floor(random() * cardinality(v_queues))::integer]], m.max_queued, p_now_ms);
      END IF;
    END IF;
    v_results := v_results || coalesce(v_outcome, json_build_object('outcome', 'published',
      'messageId', m.message_id, 'deliveries', cardinality(v_queues), 'expired', v_expired));
  END LOOP;
  INSERT INTO arrivals (account_id, messages, written_at_ms)
  SELECT account_id, array_agg(message), p_now_ms
    FROM unnest(v_accounts, v_stored) AS stored (account_id, message)
   GROUP BY account_id;
  IF FOUND THEN PERFORM notify_workers(); END IF;
  IF random() * ${FORGET_EVERY} < cardinality(v_stored) THEN PERFORM forget_expired(p_now_ms); END IF;
  RETURN to_json(v_results);
`,
});
