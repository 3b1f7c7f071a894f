import type { LimiterState } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { counterState } from './counter-state.ts';

/**
 * Reads a counter.
 *
 * Outcomes: `found`, with the points and the time left in the window; `none`, if no window is open.
 */
export const findCounterFunction = defineFunction({
  name: 'find_counter',
  args: { counterKey: 'text' },
  declare: 'counter counters;',
  body: `
now_ms := assert_not_expired(p_command_expires_at_ms, p_clock_ms);
SELECT * INTO counter FROM counters WHERE counter_key = p_counter_key AND now_ms < ends_at_ms;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'none'); END IF;
RETURN json_build_object('outcome', 'found',
  'points', counter.points, 'msBeforeNext', counter.ends_at_ms - now_ms);
`,
});

export async function findCounter(
  call: CallFunction,
  counterKey: string,
): Promise<LimiterState | null> {
  const result = await call(findCounterFunction, { counterKey });
  if (result.outcome(['found', 'none']) === 'none') return null;
  return counterState(result);
}
