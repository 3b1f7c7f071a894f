import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Answers for how long the first message of the outbox has waited. Outcome: `measured`, with that, 0 where none does.
 *
 * By a plan of its own at each call: one that the server has kept from when the outbox was empty, as it mostly is,
 * would read and sort all that waits.
 */
export const measureOutboxLagFunction = defineFunction({
  name: 'measure_outbox_lag',
  args: {},
  declare: 'v_written_at_ms bigint;',
  body: `
now_ms := enter(p_landing_limit_ms, p_clock_ms);
EXECUTE 'SELECT written_at_ms FROM outbox ORDER BY place LIMIT 1' INTO v_written_at_ms;
RETURN json_build_object('outcome', 'measured', 'lagMs', greatest(0, now_ms - coalesce(v_written_at_ms, now_ms)));
`,
});

export async function measureOutboxLag(call: CallFunction): Promise<number> {
  return (await call(measureOutboxLagFunction, {})).integer('lagMs');
}
