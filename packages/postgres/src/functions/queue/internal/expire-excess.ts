import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../deliveries/internal/define-step.ts';

/** How many entries of a queue may be read for each delivery that is published to it, on average. */
export const ENTRIES_READ = 64;

/**
 * `expire_excess(p_account_id, p_queues, p_max_queued)`: gives up the oldest deliveries that wait for their first try
 * in each queue, where more do than may. Answers them (webhook id, delivery id), as a JSON array.
 *
 * Nothing counts what waits, so that publishing updates no queue. It is counted here, which publishing does so rarely
 * where many may wait that it costs little; a queue may grow by some percent beyond its bound until then. So it may
 * while a claim of the account is under way: this waits for none.
 */
export const expireExcess: SqlDefinition = defineStep({
  name: 'expire_excess',
  params: 'p_account_id bigint, p_queues bigint[], p_max_queued bigint',
  returns: 'json',
  declare: `
  v_queue bigint;
  v_excess bigint;
  v_given_up json;
  v_expired json := '[]';
`,
  body: `
  FOREACH v_queue IN ARRAY p_queues LOOP
    CONTINUE WHEN queued_beyond(v_queue, p_max_queued) = 0 OR NOT try_account(p_account_id);
    v_excess := queued_beyond(v_queue, p_max_queued);
    CONTINUE WHEN v_excess = 0;
    WITH given_up AS (
      UPDATE queue_deliveries d SET state = 'failed', reason = 'expired'
        FROM queue_messages m
       WHERE d.queue = v_queue AND m.message = d.message AND d.message = ANY (ARRAY(
         SELECT message FROM queue_deliveries
          WHERE queue = v_queue AND message > (SELECT last_taken FROM queues WHERE queue = v_queue)
          ORDER BY message LIMIT v_excess))
      RETURNING d.queue, m.created_at_ms, d.message, m.message_id
    ), failed AS (
      INSERT INTO queue_failed (queue, created_at_ms, message) SELECT queue, created_at_ms, message FROM given_up
    ), passed AS (
      UPDATE queues SET last_taken = greatest(last_taken, (SELECT max(message) FROM given_up)) WHERE queue = v_queue
    )
    SELECT json_agg(json_build_object('webhookId', w.webhook_id, 'deliveryId', message_id) ORDER BY message)
      INTO v_given_up FROM given_up JOIN webhooks w ON w.sequence = given_up.queue;
    v_expired := (v_expired::jsonb || coalesce(v_given_up, '[]')::jsonb)::json;
  END LOOP;
  RETURN v_expired;
`,
});

/** How many are given up at once at most, so that a bound that was lowered is reached in steps. */
const EXPIRED_AT_ONCE = 500;

/** `queued_beyond(p_queue, p_max_queued)`: how many wait for their first try in excess of so many. */
export const queuedBeyond: SqlDefinition = defineStep({
  name: 'queued_beyond',
  params: 'p_queue bigint, p_max_queued bigint',
  returns: 'bigint',
  body: `
  RETURN greatest(0, (SELECT count(*) FROM (
    SELECT FROM queue_deliveries
     WHERE queue = p_queue AND message > (SELECT last_taken FROM queues WHERE queue = p_queue)
     LIMIT p_max_queued + ${EXPIRED_AT_ONCE}) waiting) - p_max_queued);
`,
});
