import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/** Counts what is queued, sending or waiting: an index scan, for a gauge. Outcome: `counted`. */
export const countPendingFunction = defineFunction({
  name: 'count_pending',
  args: {},
  body: `
now_ms := enter(p_landing_limit_ms, p_clock_ms);
RETURN json_build_object('outcome', 'counted', 'count', (
  SELECT count(*) FROM deliveries d
   WHERE state IN ('queued', 'sending', 'waiting') AND expires_at_ms > now_ms
     AND EXISTS (SELECT FROM webhooks w WHERE w.sequence = d.webhook)));
`,
});

export async function countPending(call: CallFunction): Promise<number> {
  return (await call(countPendingFunction, {})).integer('count');
}
