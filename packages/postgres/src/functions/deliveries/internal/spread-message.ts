import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

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

  IF m.idempotency_key IS NOT NULL THEN
    IF NOT give_receipt(m, v_count, p_now_ms) THEN RETURN published_before(m, p_now_ms); END IF;
  END IF;

  -- Here too one of parallel calls inserts. A returned row with an xmax was there before, and was forgotten.
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
      v_excess := expire_oldest(w, v_state, v_length + 1 - m.max_queued);
      v_expired := v_expired || v_excess;
      v_length := v_length - cardinality(v_excess);
    END IF;

    w.rate_margin_ms := m.rate_margin_ms;
    w.last_delivery := w.last_delivery + 1;
    IF v_state = 'queued' THEN
      w.queued := v_length + 1;
      IF w.retries > 0 THEN w := drop_forgotten_retries(w, p_now_ms); END IF;
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
