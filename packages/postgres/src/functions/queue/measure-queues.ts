import type { QueueStats } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Counts the deliveries of enabled webhooks that wait or are in flight, and the messages in the outbox. Outcome:
 * `measured`, with their number and the time for which the oldest has been due, ms.
 *
 * It reads only queues with a due time or an arrival, so other queues cost nothing.
 */
export const measureQueuesFunction = defineFunction({
  name: 'measure_queues',
  plansEachRun: true,
  args: {},
  declare: 'v_since_ms bigint;',
  body: `
now_ms := assert_not_expired(p_command_expires_at_ms, p_clock_ms);
v_since_ms := least(
  (SELECT min(due_at_ms) FROM queues WHERE due_at_ms IS NOT NULL),
  (SELECT min(a.written_at_ms)
     FROM arrivals a CROSS JOIN unnest(a.messages) AS listed (message)
     JOIN messages m ON m.message = listed.message CROSS JOIN unnest(m.queues) AS to_each (queue)
     JOIN queues q ON q.queue = to_each.queue WHERE q.awaits_arrival),
  (SELECT min(written_at_ms) FROM outbox));
RETURN json_build_object('outcome', 'measured',
  'oldestDueAgeMs', greatest(0, now_ms - coalesce(v_since_ms, now_ms)),
  'pending', (SELECT count(*) FROM leases) + (SELECT count(*) FROM outbox) + (
    SELECT coalesce(sum(
        (SELECT count(*) FROM deliveries d WHERE d.queue = q.queue AND d.message > q.last_taken)
        + (SELECT count(*) FROM retries r WHERE r.queue = q.queue)), 0)
      FROM queues q WHERE q.queue IN (
        SELECT queue FROM queues WHERE due_at_ms IS NOT NULL
        UNION
        SELECT a.queue FROM (
          SELECT unnest(m.queues) AS queue
            FROM arrivals CROSS JOIN unnest(messages) AS listed (message)
            JOIN messages m ON m.message = listed.message) a
          JOIN queues awaiting ON awaiting.queue = a.queue WHERE awaiting.awaits_arrival)));
`,
});

export async function measureQueues(call: CallFunction): Promise<QueueStats> {
  const result = await call(measureQueuesFunction, {});
  result.expectOutcome('measured');
  return { pending: result.integer('pending'), oldestDueAgeMs: result.integer('oldestDueAgeMs') };
}
