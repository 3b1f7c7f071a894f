import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';
import { BEFORE_ALL_TIMES } from './before-all-times.ts';
import { joinByKey } from './join-by-key.ts';
import { withAttempt } from './with-attempt.ts';

/** How many expired leases a claim looks at. */
const MAX_LEASES = 100;

/**
 * `recover_stalled(p_max_stalled_attempts, p_now_ms)`: ends attempts whose lease has expired. Their deliveries come
 * before all others, or fail with the reason `poison` if `p_max_stalled_attempts` in a row have stalled. Returns the
 * failed deliveries (account id, webhook id, delivery id).
 */
export const recoverStalled: SqlDefinition = defineStep({
  name: 'recover_stalled',
  params: 'p_max_stalled_attempts bigint, p_now_ms bigint',
  returns: 'json[]',
  declare: `
  v_account_id text;
  v_queues bigint[];
  v_poisoned json[];
  v_all_poisoned json[] := '{}';
`,
  body: `
  FOR v_account_id IN
    SELECT DISTINCT account_id FROM (
      SELECT account_id FROM leases WHERE ends_at_ms <= p_now_ms ORDER BY ends_at_ms LIMIT ${MAX_LEASES}) oldest
  LOOP
    CONTINUE WHEN NOT try_lock_account(v_account_id);
    WITH ended AS (
      -- Skips leases of attempts that are just being completed: the transaction that completes them may wait for the
      -- lock of this account.
      DELETE FROM leases WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM leases WHERE account_id = v_account_id AND ends_at_ms <= p_now_ms FOR UPDATE SKIP LOCKED))
      RETURNING *
    ), recovered AS (
      UPDATE deliveries d
         SET attempt = l.attempt, stalled = d.stalled + 1,
             state = CASE WHEN d.stalled + 1 < p_max_stalled_attempts THEN 'waiting' ELSE 'failed' END,
             reason = CASE WHEN d.stalled + 1 >= p_max_stalled_attempts THEN 'poison' END,
             retry_at_ms = CASE WHEN d.stalled + 1 < p_max_stalled_attempts THEN d.message - ${BEFORE_ALL_TIMES} END,
             attempts = ${withAttempt("json_build_array(l.attempt, l.claimed_at_ms, NULL, greatest(0, l.ends_at_ms - l.claimed_at_ms), 'lost')")}
        FROM ended l
       WHERE d.queue = l.queue AND d.message = l.message
      RETURNING d.queue, d.message, d.reason
    )
    SELECT array_agg(queue), (
        SELECT array_agg(json_build_object('accountId', w.account_id, 'webhookId', w.webhook_id, 'deliveryId', m.message_id))
          FROM recovered ${joinByKey('messages', 'm', 'm.message = recovered.message')}
         ${joinByKey('webhooks', 'w', 'w.queue = recovered.queue')}
         WHERE recovered.reason IS NOT NULL)
      INTO v_queues, v_poisoned FROM ended;
    -- Another transaction has ended these leases, or is doing so.
    CONTINUE WHEN v_queues IS NULL;
    v_all_poisoned := v_all_poisoned || v_poisoned;
    -- A queue that is capped by its own attempts in flight may start another one.
    UPDATE queues
       SET due_at_ms = least(due_at_ms, p_now_ms), capped_by = nullif(capped_by, 'webhook')
     WHERE queue = ANY (v_queues);
    PERFORM unblock_capped(v_account_id, cardinality(v_queues));
  END LOOP;
  RETURN v_all_poisoned;
`,
});
