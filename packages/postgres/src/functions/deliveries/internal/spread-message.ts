import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/** `lock_recipients(m)`: locks the webhooks that a message is for, always in the same order, and answers them. */
export const lockRecipients: SqlDefinition = defineStep({
  name: 'lock_recipients',
  params: 'm outbox',
  returns: 'webhooks[]',
  declare: '  v_webhooks webhooks[];',
  body: `
  IF m.webhook_id IS NULL THEN
    SELECT array_agg(locked::webhooks) INTO v_webhooks FROM (
      SELECT * FROM webhooks WHERE account_id = m.account_id AND event = m.event
       ORDER BY sequence FOR UPDATE
    ) locked;
  ELSE
    SELECT array_agg(locked::webhooks) INTO v_webhooks FROM (
      SELECT * FROM webhooks WHERE account_id = m.account_id AND webhook_id = m.webhook_id
       FOR UPDATE
    ) locked;
  END IF;
  RETURN coalesce(v_webhooks, '{}');
`,
});

/**
 * `published_before(m, p_now_ms)`: the answer where the message was published before, under its key or its id; `NULL`
 * where it was not. `scheduled` has the deliveries that never started.
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
  RETURN json_build_object(
    'outcome', 'duplicate', 'messageId', v_message_id, 'deliveries', v_deliveries,
    'scheduled', (
      SELECT coalesce(json_agg(json_build_object('webhookId', w.webhook_id, 'deliveryId', d.delivery_id,
               'run', d.run, 'delayMs', greatest(0, d.due_at_ms - p_now_ms))), '[]')
        FROM webhooks w JOIN deliveries d ON d.webhook = w.sequence AND d.delivery_id = v_message_id
       WHERE w.account_id = m.account_id AND d.state = 'queued' AND d.expires_at_ms > p_now_ms));
`,
});

/** How many deliveries of one webhook a message makes expire at most: a bound that was lowered is reached in steps. */
const MAX_EXPIRED = 100;

/**
 * `spread_message(m, p_webhooks, p_now_ms)`: stores a message with its deliveries to webhooks that are locked, and
 * answers the outcome: that of `published_before` where it was published already.
 *
 * In three steps: its key, then its text, each of which only one of several parallel calls can insert; then a delivery
 * for each webhook, which joins the line of first tries, or the held ones. The row of the webhook has the length of
 * that line, so nothing is counted.
 */
export const spreadMessage: SqlDefinition = defineStep({
  name: 'spread_message',
  params: 'm outbox, p_webhooks webhooks[], p_now_ms bigint',
  returns: 'json',
  declare: `
  v_answer json := published_before(m, p_now_ms);
  v_count bigint := cardinality(p_webhooks);
  v_message bigint;
  v_is_again boolean := false;
  v_former deliveries;
  v_scheduled json[] := '{}';
  v_expired json[] := '{}';
  w webhooks;
  v_state text;
  v_length bigint;
  v_excess json[];
  v_due_at_ms bigint;
`,
  body: `
  IF v_answer IS NOT NULL THEN RETURN v_answer; END IF;
  IF v_count = 0 AND m.webhook_id IS NOT NULL THEN
    RETURN json_build_object('outcome', 'unknown');
  END IF;

  -- Of parallel calls, one inserts; the others wait for it here, and find the row.
  IF m.idempotency_key IS NOT NULL THEN
    INSERT INTO idempotency_keys AS known (account_id, idempotency_key, message_id, deliveries, expires_at_ms)
    VALUES (m.account_id, m.idempotency_key, m.message_id, v_count, p_now_ms + m.idempotency_ms)
    ON CONFLICT (account_id, idempotency_key) DO UPDATE
       SET message_id = excluded.message_id, deliveries = excluded.deliveries,
           expires_at_ms = excluded.expires_at_ms
     WHERE known.expires_at_ms <= p_now_ms;
    IF NOT FOUND THEN RETURN published_before(m, p_now_ms); END IF;
  END IF;

  -- The same here. A returned row with an xmax was there before, and was forgotten.
  IF v_count > 0 THEN
    INSERT INTO messages AS known (account_id, message_id, event, body, deliveries, expires_at_ms)
    VALUES (m.account_id, m.message_id, m.event, m.body, v_count, p_now_ms + m.retention_ms)
    ON CONFLICT (account_id, message_id) DO UPDATE
       SET event = excluded.event, body = excluded.body, deliveries = excluded.deliveries,
           expires_at_ms = excluded.expires_at_ms
     WHERE known.expires_at_ms <= p_now_ms
    RETURNING message, xmax <> 0 INTO v_message, v_is_again;
    IF NOT FOUND THEN
      -- A call with the same id under another key, or none, was quicker: nothing was published under this key.
      DELETE FROM idempotency_keys
       WHERE account_id = m.account_id AND idempotency_key = m.idempotency_key;
      RETURN published_before(m, p_now_ms);
    END IF;
  END IF;

  FOREACH w IN ARRAY p_webhooks LOOP
    -- An id that is used again after it was forgotten must not find its former delivery.
    IF v_is_again THEN
      DELETE FROM deliveries WHERE webhook = w.sequence AND delivery_id = m.message_id
      RETURNING * INTO v_former;
      IF FOUND THEN w := leave_lines(w, v_former); END IF;
    END IF;

    v_state := CASE WHEN w.disabled_at_ms IS NULL THEN 'queued' ELSE 'held' END;
    IF w.queued + w.held > 0 THEN w := drop_forgotten(w, v_state, p_now_ms); END IF;
    v_length := CASE v_state WHEN 'queued' THEN w.queued ELSE w.held END;
    IF v_length >= m.max_queued THEN
      v_excess := expire_oldest(w, v_state, least(${MAX_EXPIRED}, v_length + 1 - m.max_queued));
      v_expired := v_expired || v_excess;
      v_length := v_length - cardinality(v_excess);
    END IF;

    w.rate_margin_ms := m.rate_margin_ms;
    w.last_delivery := w.last_delivery + 1;
    IF v_state = 'queued' THEN
      w.queued := v_length + 1;
      v_due_at_ms := next_turn_ms(w, first_in_window(w, p_now_ms), in_turns(w, v_length, true), p_now_ms);
      v_scheduled := v_scheduled || json_build_object('webhookId', w.webhook_id,
        'deliveryId', m.message_id, 'run', 1, 'delayMs', v_due_at_ms - p_now_ms);
    ELSE
      w.held := v_length + 1;
      v_due_at_ms := NULL;
    END IF;
    INSERT INTO deliveries
      (webhook, sequence, delivery_id, message, state, created_at_ms, expires_at_ms, due_at_ms)
    VALUES (w.sequence, w.last_delivery, m.message_id, v_message, v_state, p_now_ms,
      p_now_ms + m.retention_ms, v_due_at_ms);
    PERFORM save_webhook(w);
  END LOOP;

  RETURN json_build_object('outcome', 'published', 'messageId', m.message_id, 'deliveries', v_count,
    'scheduled', to_json(v_scheduled), 'expired', to_json(v_expired));
`,
});
