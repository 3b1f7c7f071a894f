import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `forget(p_now_ms, p_limit)`: deletes up to `p_limit` rows of each kind that are forgotten, so that tables stay
 * bounded. It does not matter when: no query finds such rows any more.
 *
 * It waits for no lock, as a later call will do as well: so it takes part in no deadlock.
 *
 * Of removed webhooks it takes the oldest first, as many as the limit allows: each counts as a row, so that a call is
 * as short if none of them has anything left. Their deliveries may expire before that is done. A client can make as
 * many as it likes by then, and they must not stand before those of other webhooks: so they are deleted wherever they
 * are found.
 */
export const forget: SqlDefinition = defineStep({
  name: 'forget',
  params: 'p_now_ms bigint, p_limit bigint',
  returns: 'void',
  byIndexes: true,
  declare: `
  v_left bigint := p_limit;
  v_webhook bigint;
  v_sequences bigint[];
  v_deleted bigint;
`,
  body: `
  FOR v_webhook IN
    SELECT webhook FROM removed_webhooks ORDER BY webhook LIMIT p_limit FOR UPDATE SKIP LOCKED
  LOOP
    DELETE FROM deliveries WHERE webhook = v_webhook AND sequence = ANY (ARRAY(
      SELECT sequence FROM deliveries WHERE webhook = v_webhook
       ORDER BY sequence LIMIT v_left FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS v_deleted = ROW_COUNT;
    v_left := v_left - v_deleted;
    DELETE FROM webhook_starts WHERE webhook = v_webhook AND nth = ANY (ARRAY(
      SELECT nth FROM webhook_starts WHERE webhook = v_webhook ORDER BY nth LIMIT v_left));
    GET DIAGNOSTICS v_deleted = ROW_COUNT;
    v_left := v_left - v_deleted;
    EXIT WHEN v_left <= 0;
    -- Another call may be about to delete some, and may still fail.
    DELETE FROM removed_webhooks WHERE webhook = v_webhook
       AND NOT EXISTS (SELECT FROM deliveries WHERE webhook = v_webhook);
    v_left := v_left - 1;
    EXIT WHEN v_left <= 0;
  END LOOP;

  FOR v_webhook, v_sequences IN
    SELECT webhook, array_agg(sequence) FROM (
      SELECT webhook, sequence FROM deliveries
       WHERE expires_at_ms <= p_now_ms ORDER BY expires_at_ms LIMIT p_limit
    ) expired GROUP BY webhook
  LOOP
    -- Their webhook counts them, so its lock is needed: where it is taken, they stay for another time.
    PERFORM FROM webhooks WHERE sequence = v_webhook FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
      WITH deleted AS (
        DELETE FROM deliveries WHERE webhook = v_webhook AND sequence = ANY (v_sequences)
        RETURNING state, retry_place
      )
      UPDATE webhooks w
         SET queued = w.queued - (SELECT count(*) FROM deleted WHERE state = 'queued'),
             held = w.held - (SELECT count(*) FROM deleted WHERE state = 'held'),
             retries = w.retries - (SELECT count(retry_place) FROM deleted)
       WHERE w.sequence = v_webhook;
    ELSIF NOT EXISTS (SELECT FROM webhooks WHERE sequence = v_webhook) THEN
      -- It was removed: nothing counts them any more.
      DELETE FROM deliveries WHERE webhook = v_webhook AND sequence = ANY (ARRAY(
        SELECT sequence FROM deliveries WHERE webhook = v_webhook AND sequence = ANY (v_sequences)
           FOR UPDATE SKIP LOCKED));
    END IF;
  END LOOP;

  DELETE FROM messages WHERE message IN (
    SELECT message FROM messages WHERE expires_at_ms <= p_now_ms
     ORDER BY expires_at_ms LIMIT p_limit FOR UPDATE SKIP LOCKED);
  DELETE FROM idempotency_keys WHERE (account_id, idempotency_key) IN (
    SELECT account_id, idempotency_key FROM idempotency_keys WHERE expires_at_ms <= p_now_ms
     ORDER BY expires_at_ms LIMIT p_limit FOR UPDATE SKIP LOCKED);
`,
});
