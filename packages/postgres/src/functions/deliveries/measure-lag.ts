import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/** Answers for how long the first of the late deliveries is late. Outcome: `measured`, with that, 0 where none is. */
export const measureLagFunction = defineFunction({
  name: 'measure_lag',
  plansEachRun: true,
  args: {},
  body: `
now_ms := enter(p_landing_limit_ms, p_clock_ms);
RETURN json_build_object('outcome', 'measured', 'lagMs', coalesce((
  SELECT now_ms - due_at_ms FROM deliveries d
   WHERE state IN ('queued', 'sending', 'waiting') AND due_at_ms <= now_ms AND expires_at_ms > now_ms
     AND (state <> 'sending' OR lease_ends_at_ms <= now_ms)
     AND EXISTS (SELECT FROM webhooks w WHERE w.sequence = d.webhook)
   ORDER BY due_at_ms LIMIT 1), 0));
`,
});

export async function measureLag(call: CallFunction): Promise<number> {
  return (await call(measureLagFunction, {})).integer('lagMs');
}
