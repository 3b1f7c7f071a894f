import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';

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
  params: 'p_account_id text, p_queues bigint[], p_max_queued bigint',
  returns: 'json',
  declare: `
  v_queue bigint;
  v_excess bigint;
  v_webhook_id text;
  d record;
  m record;
  v_expired json[] := '{}';
`,
  body: `
  FOREACH v_queue IN ARRAY p_queues LOOP
    CONTINUE WHEN queued_beyond(v_queue, p_max_queued) = 0 OR NOT try_account(p_account_id);
    v_excess := queued_beyond(v_queue, p_max_queued);
    CONTINUE WHEN v_excess = 0;
    SELECT webhook_id INTO v_webhook_id FROM webhooks WHERE sequence = v_queue;
    FOR d IN
      SELECT message FROM deliveries
       WHERE queue = v_queue AND message > (SELECT last_taken FROM queues WHERE queue = v_queue)
       ORDER BY message LIMIT v_excess
    LOOP
      UPDATE deliveries SET state = 'failed', reason = 'expired' WHERE queue = v_queue AND message = d.message;
      SELECT message_id, created_at_ms INTO m FROM messages WHERE message = d.message;
      -- It was forgotten meanwhile.
      CONTINUE WHEN NOT FOUND;
      INSERT INTO failed_deliveries (queue, created_at_ms, message) VALUES (v_queue, m.created_at_ms, d.message);
      v_expired := v_expired || json_build_object('webhookId', v_webhook_id, 'deliveryId', m.message_id);
    END LOOP;
    UPDATE queues SET last_taken = greatest(last_taken, d.message) WHERE queue = v_queue;
  END LOOP;
  RETURN to_json(v_expired);
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
    SELECT FROM deliveries
     WHERE queue = p_queue AND message > (SELECT last_taken FROM queues WHERE queue = p_queue)
     LIMIT p_max_queued + ${EXPIRED_AT_ONCE}) waiting) - p_max_queued);
`,
});
