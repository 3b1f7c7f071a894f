import type {
  DeliveryRef,
  RedeliverFailedRequest,
  RedeliverOutcome,
  WebhookRef,
} from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { defineStep } from '../internal/define-step.ts';
import { joinByKey } from './internal/join-by-key.ts';

/**
 * `start_over(p_queue, p_messages, p_now_ms)`: gives deliveries that are not in flight all of their attempts again, and
 * makes them due.
 */
export const startOver = defineStep({
  name: 'start_over',
  params: 'p_queue bigint, p_messages bigint[], p_now_ms bigint',
  returns: 'void',
  declare: 'v_message bigint;',
  body: `
  -- A loop, so that each statement uses the primary key, however many rows the planner expects.
  FOREACH v_message IN ARRAY p_messages LOOP
    UPDATE deliveries
       SET state = 'waiting', reason = NULL, failures = 0, stalled = 0, not_counted = 0, retry_at_ms = p_now_ms
     WHERE queue = p_queue AND message = v_message;
  END LOOP;
  UPDATE queues SET due_at_ms = least(due_at_ms, p_now_ms) WHERE queue = p_queue;
  PERFORM notify_workers();
`,
});

/** Redelivers one delivery, unless it is already queued or in flight. Outcomes: `due`; `under_way`; `unknown`. */
export const redeliverFunction = defineFunction({
  name: 'redeliver',
  byIndexes: true,
  args: { accountId: 'account', webhookId: 'text', deliveryId: 'text' },
  declare: `
w webhooks;
d deliveries;
`,
  body: `
PERFORM lock_account(p_account_id);
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
SELECT * INTO w FROM webhooks WHERE account_id = p_account_id AND webhook_id = p_webhook_id;
SELECT * INTO d FROM deliveries WHERE queue = w.queue AND message = (
  SELECT message FROM messages
   WHERE account_id = p_account_id AND message_id = p_delivery_id AND expires_at_ms > now_ms);
IF NOT FOUND THEN RETURN json_build_object('outcome', 'unknown'); END IF;
-- A waiting delivery without a retry time was never claimed, or is in flight.
IF d.state = 'waiting' AND coalesce(d.retry_at_ms <= now_ms, true) THEN
  RETURN json_build_object('outcome', 'under_way');
END IF;
PERFORM start_over(d.queue, ARRAY[d.message], now_ms);
RETURN json_build_object('outcome', 'due');
`,
});

export async function redeliver(call: CallFunction, ref: DeliveryRef): Promise<RedeliverOutcome> {
  const result = await call(redeliverFunction, ref);
  return { outcome: result.outcome(['due', 'under_way', 'unknown']) };
}

/**
 * Redelivers the failed deliveries that were published since `p_since_ms`, oldest first. Outcomes: `due`, with the
 * number of redelivered ones, and whether there are more; `unknown`.
 */
export const redeliverFailedFunction = defineFunction({
  name: 'redeliver_failed',
  byIndexes: true,
  args: { accountId: 'account', webhookId: 'text', sinceMs: 'bigint', limit: 'bigint' },
  declare: `
w webhooks;
v_failed bigint[];
`,
  body: `
PERFORM lock_account(p_account_id);
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
SELECT * INTO w FROM webhooks WHERE account_id = p_account_id AND webhook_id = p_webhook_id;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'unknown'); END IF;
v_failed := ARRAY(
  SELECT d.message FROM deliveries d
   ${joinByKey('messages', 'm', 'm.message = d.message')}
   WHERE d.queue = w.queue AND d.reason IS NOT NULL AND d.created_at_ms >= p_since_ms AND m.expires_at_ms > now_ms
   ORDER BY d.created_at_ms, d.message LIMIT p_limit + 1);
IF v_failed <> '{}' THEN PERFORM start_over(w.queue, v_failed[:p_limit], now_ms); END IF;
RETURN json_build_object('outcome', 'due', 'count', least(cardinality(v_failed), p_limit),
  'more', cardinality(v_failed) > p_limit);
`,
});

export async function redeliverFailed(
  call: CallFunction,
  ref: WebhookRef,
  request: RedeliverFailedRequest,
): Promise<{ readonly count: number; readonly more: boolean } | null> {
  const result = await call(redeliverFailedFunction, { ...ref, ...request });
  if (result.outcome(['due', 'unknown']) === 'unknown') return null;
  return { count: result.integer('count'), more: result.boolean('more') };
}
