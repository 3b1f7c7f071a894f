import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';

/**
 * How many deliveries of a queue may be counted for each delivery that is published to it, on average: publishing to a
 * queue with a limit of 6,400 deliveries counts them once in 100 times.
 */
export const ENTRIES_READ = 64;

/** How many deliveries one call expires at most, so that a queue reaches a lowered limit in steps. */
const MAX_EXPIRED = 500;

/** `queued_beyond(p_queue, p_max_queued)`: how many more deliveries than the limit wait for their first attempt. */
export const queuedBeyond: SqlDefinition = defineStep({
  name: 'queued_beyond',
  params: 'p_queue bigint, p_max_queued bigint',
  returns: 'bigint',
  body: `
  RETURN greatest(0, (SELECT count(*) FROM (
    SELECT FROM deliveries
     WHERE queue = p_queue AND message > (SELECT last_taken FROM queues WHERE queue = p_queue)
     LIMIT p_max_queued + ${MAX_EXPIRED}) waiting) - p_max_queued);
`,
});

/**
 * `expire_excess(p_account_id, p_queues, p_max_queued, p_now_ms)`: if more than `p_max_queued` deliveries of a queue
 * wait for their first attempt, fails the oldest ones. Returns the failed deliveries (account id, webhook id, delivery
 * id), as a JSON array; without those whose message has expired by `p_now_ms`.
 *
 * This step counts the waiting deliveries. A stored counter would have to be updated at each publish. If the limit is
 * high, publishing calls this step so rarely that it costs little, and a queue may exceed the limit by some percent
 * until the next call. A queue may also exceed the limit while a claim holds the account's lock because this step does
 * not wait.
 */
export const expireExcess: SqlDefinition = defineStep({
  name: 'expire_excess',
  params: 'p_account_id text, p_queues bigint[], p_max_queued bigint, p_now_ms bigint',
  returns: 'json',
  declare: `
  v_queue bigint;
  v_excess bigint;
  v_webhook_id text;
  v_message_id text;
  d record;
  v_expired json[] := '{}';
`,
  body: `
  FOREACH v_queue IN ARRAY p_queues LOOP
    CONTINUE WHEN queued_beyond(v_queue, p_max_queued) = 0 OR NOT try_lock_account(p_account_id);
    -- Counted again because a claim may have taken some before the lock was granted.
    v_excess := queued_beyond(v_queue, p_max_queued);
    CONTINUE WHEN v_excess = 0;
    SELECT webhook_id INTO v_webhook_id FROM webhooks WHERE queue = v_queue;
    FOR d IN
      SELECT message FROM deliveries
       WHERE queue = v_queue AND message > (SELECT last_taken FROM queues WHERE queue = v_queue)
       ORDER BY message LIMIT v_excess
    LOOP
      UPDATE deliveries SET state = 'failed', reason = 'expired' WHERE queue = v_queue AND message = d.message;
      SELECT message_id INTO v_message_id FROM messages WHERE message = d.message AND expires_at_ms > p_now_ms;
      -- The message has expired before, or has been deleted after the delivery was read.
      CONTINUE WHEN NOT FOUND;
      v_expired := v_expired || json_build_object('accountId', p_account_id, 'webhookId', v_webhook_id,
        'deliveryId', v_message_id);
    END LOOP;
    -- After the loop, d is the last row that it has read.
    UPDATE queues SET last_taken = greatest(last_taken, d.message) WHERE queue = v_queue;
  END LOOP;
  RETURN to_json(v_expired);
`,
});
