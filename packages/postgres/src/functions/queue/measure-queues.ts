import type { QueueStats } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { joinByKey } from './internal/join-by-key.ts';

/** How far deliveries are counted, so that the call ends before its deadline however many wait. */
const MOST_COUNTED = 100_000;

/** The due queues `q` of enabled webhooks. The queue of a disabled one may have a due time until a claim visits it. */
const DUE_QUEUES = `queues q ${joinByKey('webhooks', 'w', 'w.queue = q.queue')}
     WHERE q.due_at_ms IS NOT NULL AND w.disabled_at_ms IS NULL`;

/**
 * Counts the deliveries of enabled webhooks that wait or are in flight, and the messages in the outbox, up to
 * {@link MOST_COUNTED}. Outcome: `measured`, with their number and the time for which the oldest has been due, ms.
 *
 * All deliveries after `last_taken` of a queue with a due time are fresh. Any other enabled queue has no fresh
 * deliveries except those in `arrivals`, so arrivals are counted for these queues only. Each source is read in index
 * order and only as far as it is counted, so a longer backlog, other queues and ended deliveries cost nothing.
 *
 * An arrival does not change the due time of its queue, which may be that of a later retry. So arrivals count towards
 * the age separately, except those of capped queues, where no attempt can start.
 */
export const measureQueuesFunction = defineFunction({
  name: 'measure_queues',
  byIndexes: true,
  args: {},
  declare: `
v_arrived bigint;
v_arrived_at_ms bigint;
`,
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
SELECT count(*) FILTER (WHERE due_at_ms IS NULL), min(written_at_ms) FILTER (WHERE capped_by IS NULL)
  INTO v_arrived, v_arrived_at_ms FROM (
  SELECT a.written_at_ms, q.due_at_ms, q.capped_by, m.message > q.last_taken AND w.disabled_at_ms IS NULL AS is_fresh
    FROM arrivals a CROSS JOIN unnest(a.messages) AS listed (message)
   ${joinByKey('messages', 'm', 'm.message = listed.message')}
   CROSS JOIN unnest(m.queues) AS to_each (queue)
   ${joinByKey('queues', 'q', 'q.queue = to_each.queue')}
   ${joinByKey('webhooks', 'w', 'w.queue = to_each.queue')}
   ORDER BY a.arrival LIMIT ${MOST_COUNTED}) oldest WHERE is_fresh;
RETURN json_build_object('outcome', 'measured',
  'oldestDueAgeMs', greatest(0, now_ms - least(
    (SELECT q.due_at_ms FROM ${DUE_QUEUES} ORDER BY q.due_at_ms LIMIT 1),
    (SELECT written_at_ms FROM outbox ORDER BY entry LIMIT 1),
    v_arrived_at_ms, now_ms)),
  'pending', least(${MOST_COUNTED}, v_arrived + (
    SELECT count(*) FROM (
      SELECT FROM leases
       UNION ALL SELECT FROM outbox
       UNION ALL SELECT FROM (SELECT q.* FROM ${DUE_QUEUES}) q CROSS JOIN LATERAL (
         SELECT FROM deliveries d WHERE d.queue = q.queue AND d.retry_at_ms IS NOT NULL LIMIT ${MOST_COUNTED}) retried
       UNION ALL SELECT FROM (SELECT q.* FROM ${DUE_QUEUES}) q CROSS JOIN LATERAL (
         SELECT FROM deliveries d WHERE d.queue = q.queue AND d.message > q.last_taken LIMIT ${MOST_COUNTED}) fresh
       LIMIT ${MOST_COUNTED}) counted)));
`,
});

export async function measureQueues(call: CallFunction): Promise<QueueStats> {
  const result = await call(measureQueuesFunction, {});
  result.expectOutcome('measured');
  return { pending: result.integer('pending'), oldestDueAgeMs: result.integer('oldestDueAgeMs') };
}
