import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/** How many deliveries of one webhook a message makes expire at most: a bound that was lowered is reached in steps. */
const MAX_EXPIRED = 100;

/**
 * `expire_oldest(w, p_state, p_count)`: marks the oldest `p_count` of a line dead, as `expired`, but no more than
 * `MAX_EXPIRED`, and answers which. `w` is not changed: the caller subtracts them from the length of the line, and
 * `drop_forgotten` notes where it begins now.
 *
 * The states are named for the planner, as in `drop_forgotten`. Their numbers go through an array, which it computes
 * once: while a table has no statistics, it would compute a list for each delivery of the webhook.
 */
export const expireOldest: SqlDefinition = defineStep({
  name: 'expire_oldest',
  params: 'w webhooks, p_state text, p_count bigint',
  returns: 'json[]',
  declare: `
  v_from bigint := CASE p_state WHEN 'queued' THEN w.queued_from ELSE 1 END;
  v_expired json[];
`,
  body: `
  WITH expired AS (
    UPDATE deliveries SET state = 'dead', dead_reason = 'expired', due_at_ms = NULL, is_parked = false
     WHERE webhook = w.sequence AND sequence = ANY (ARRAY(
       SELECT sequence FROM deliveries
        WHERE webhook = w.sequence AND state IN ('queued', 'held') AND state = p_state
          AND sequence >= v_from
        ORDER BY sequence LIMIT least(${MAX_EXPIRED}, p_count)))
    RETURNING delivery_id, sequence
  )
  SELECT array_agg(json_build_object('webhookId', w.webhook_id, 'deliveryId', delivery_id)
                   ORDER BY sequence)
    INTO v_expired FROM expired;
  RETURN coalesce(v_expired, '{}');
`,
});
