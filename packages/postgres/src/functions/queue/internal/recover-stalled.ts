import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';
import { withAttempt } from './with-attempt.ts';

/** How many queues a claim checks for expired leases. */
const MAX_QUEUES = 100;

/**
 * `recover_stalled(p_max_stalled_attempts, p_now_ms)`: ends attempts whose lease has expired. Their deliveries are due
 * immediately, or fail with the reason `poison`. Returns the failed deliveries (account id, webhook id, delivery id).
 *
 * No lease of a queue ends before its `leases_end_at_ms`, so leases need no index by their end. This column is updated
 * only about once per lease duration.
 */
export const recoverStalled: SqlDefinition = defineStep({
  name: 'recover_stalled',
  params: 'p_max_stalled_attempts bigint, p_now_ms bigint',
  returns: 'json[]',
  declare: `
  q queues;
  l leases;
  v_stalled bigint;
  v_is_due boolean;
  v_is_removed boolean;
  v_state text;
  v_attempt json;
  v_poisoned json[] := '{}';
`,
  body: `
  FOR q IN
    SELECT * FROM queues WHERE leases_end_at_ms <= p_now_ms ORDER BY leases_end_at_ms LIMIT ${MAX_QUEUES}
  LOOP
    CONTINUE WHEN NOT try_lock_account(q.account_id);
    v_stalled := 0;
    v_is_due := false;
    v_is_removed := NOT EXISTS (SELECT FROM webhooks WHERE sequence = q.queue);
    FOR l IN
      -- Skips leases of attempts that are just being completed: the transaction that completes them may wait for the
      -- lock of this account.
      DELETE FROM leases WHERE account_id = q.account_id AND queue = q.queue AND message = ANY (ARRAY(
        SELECT message FROM leases
         WHERE account_id = q.account_id AND queue = q.queue AND claimed_at_ms + lease_ms <= p_now_ms
           FOR UPDATE SKIP LOCKED))
      RETURNING *
    LOOP
      v_stalled := v_stalled + 1;
      CONTINUE WHEN v_is_removed;
      v_attempt := json_build_array(l.attempt, l.claimed_at_ms, NULL, greatest(0, l.lease_ms), 'lost');
      UPDATE deliveries d
         SET attempt = l.attempt, lost = d.lost + 1,
             state = CASE WHEN d.lost + 1 < p_max_stalled_attempts THEN 'waiting' ELSE 'failed' END,
             reason = CASE WHEN d.lost + 1 < p_max_stalled_attempts THEN NULL ELSE 'poison' END,
             retry_at_ms = CASE WHEN d.lost + 1 < p_max_stalled_attempts THEN p_now_ms END,
             attempts = ${withAttempt('v_attempt')}
       WHERE d.queue = l.queue AND d.message = l.message
      RETURNING d.state INTO v_state;
      CONTINUE WHEN NOT FOUND;
      IF v_state = 'waiting' THEN
        v_is_due := true;
        INSERT INTO retries (queue, due_at_ms, message) VALUES (l.queue, p_now_ms, l.message);
      ELSE
        INSERT INTO failed_deliveries (queue, created_at_ms, message)
        SELECT l.queue, created_at_ms, message FROM messages WHERE message = l.message;
        v_poisoned := v_poisoned || (
          SELECT json_build_object('accountId', w.account_id, 'webhookId', w.webhook_id, 'deliveryId', m.message_id)
            FROM webhooks w, messages m WHERE w.sequence = l.queue AND m.message = l.message);
      END IF;
    END LOOP;
    UPDATE queues k
       SET leases_end_at_ms = (
             SELECT min(claimed_at_ms + lease_ms) FROM leases
              WHERE account_id = q.account_id AND queue = q.queue),
           next_retry_at_ms = CASE WHEN v_is_due THEN least(k.next_retry_at_ms, p_now_ms)
             ELSE k.next_retry_at_ms END,
           due_at_ms = CASE WHEN is_enabled(k) AND (v_is_due OR v_stalled > 0 AND k.capped_by = 'webhook')
             THEN least(k.due_at_ms, p_now_ms) ELSE k.due_at_ms END,
           capped_by = CASE WHEN v_stalled = 0 OR k.capped_by = 'account' THEN k.capped_by END
     WHERE k.queue = q.queue;
    IF v_is_removed THEN DELETE FROM queues k WHERE k.queue = q.queue AND k.leases_end_at_ms IS NULL; END IF;
    PERFORM unblock_capped(q.account_id, v_stalled);
  END LOOP;
  RETURN v_poisoned;
`,
});
