import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';
import { withAttempt } from './with-attempt.ts';

/** How many queues a claim checks for expired leases. */
const MAX_QUEUES = 100;

/**
 * `recover_stalled(p_max_stalled_attempts, p_now_ms)`: ends attempts whose lease has expired. Their deliveries are due
 * immediately, or fail with the reason `poison` if that many attempts in a row have stalled. Returns the failed
 * deliveries (account id, webhook id, delivery id).
 *
 * No lease of a queue ends before its `leases_end_at_ms`, so leases need no index by their end. This column is updated
 * only about once per lease duration.
 *
 * A webhook may have been removed while its attempts were being completed. Then its queue is kept for their leases, and
 * deleted here with the last of them.
 */
export const recoverStalled: SqlDefinition = defineStep({
  name: 'recover_stalled',
  params: 'p_max_stalled_attempts bigint, p_now_ms bigint',
  returns: 'json[]',
  declare: `
  r record;
  l leases;
  v_webhook_id text;
  v_stalled bigint;
  v_lost integer;
  v_retry_at_ms bigint;
  v_unblocked_at_ms bigint;
  v_poisoned json[] := '{}';
`,
  body: `
  FOR r IN
    SELECT queue, account_id FROM queues WHERE leases_end_at_ms <= p_now_ms
     ORDER BY leases_end_at_ms LIMIT ${MAX_QUEUES}
  LOOP
    CONTINUE WHEN NOT try_lock_account(r.account_id);
    v_webhook_id := (SELECT webhook_id FROM webhooks WHERE sequence = r.queue);
    v_stalled := 0;
    v_retry_at_ms := NULL;
    FOR l IN
      -- Skips leases of attempts that are just being completed: the transaction that completes them may wait for the
      -- lock of this account.
      DELETE FROM leases WHERE account_id = r.account_id AND queue = r.queue AND message = ANY (ARRAY(
        SELECT message FROM leases
         WHERE account_id = r.account_id AND queue = r.queue AND claimed_at_ms + lease_ms <= p_now_ms
           FOR UPDATE SKIP LOCKED))
      RETURNING *
    LOOP
      v_stalled := v_stalled + 1;
      CONTINUE WHEN v_webhook_id IS NULL;
      UPDATE deliveries d
         SET attempt = l.attempt, lost = d.lost + 1, retry_at_ms = p_now_ms,
             attempts = ${withAttempt("json_build_array(l.attempt, l.claimed_at_ms, NULL, greatest(0, l.lease_ms), 'lost')")}
       WHERE d.queue = l.queue AND d.message = l.message
      RETURNING d.lost INTO v_lost;
      CONTINUE WHEN NOT FOUND;
      IF v_lost < p_max_stalled_attempts THEN
        v_retry_at_ms := p_now_ms;
        INSERT INTO retries (queue, due_at_ms, message) VALUES (l.queue, p_now_ms, l.message);
      ELSE
        UPDATE deliveries SET state = 'failed', reason = 'poison', retry_at_ms = NULL
         WHERE queue = l.queue AND message = l.message;
        INSERT INTO failed_deliveries (queue, created_at_ms, message)
        SELECT l.queue, created_at_ms, message FROM messages WHERE message = l.message;
        v_poisoned := v_poisoned || json_build_object('accountId', r.account_id, 'webhookId', v_webhook_id,
          'deliveryId', (SELECT message_id FROM messages WHERE message = l.message));
      END IF;
    END LOOP;
    -- A queue that is capped by its own attempts in flight may start another one. Those that are capped by the account
    -- follow in unblock_capped.
    v_unblocked_at_ms := CASE WHEN v_stalled > 0 THEN p_now_ms END;
    UPDATE queues q
       SET leases_end_at_ms = (
             SELECT min(claimed_at_ms + lease_ms) FROM leases
              WHERE account_id = r.account_id AND queue = r.queue),
           next_retry_at_ms = least(q.next_retry_at_ms, v_retry_at_ms),
           due_at_ms = CASE WHEN is_enabled(q) THEN
             least(q.due_at_ms, v_retry_at_ms, CASE WHEN q.capped_by = 'webhook' THEN v_unblocked_at_ms END) END,
           capped_by = CASE WHEN q.capped_by = 'account' OR v_stalled = 0 THEN q.capped_by END
     WHERE q.queue = r.queue;
    IF v_webhook_id IS NULL THEN DELETE FROM queues WHERE queue = r.queue AND leases_end_at_ms IS NULL; END IF;
    PERFORM unblock_capped(r.account_id, v_stalled);
  END LOOP;
  RETURN v_poisoned;
`,
});
