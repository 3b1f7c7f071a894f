import type { LimiterState } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { storableText } from '../../storable-text.ts';
import { counterState } from './counter-state.ts';

/**
 * Reads counters in one statement, so that all are of the same moment.
 *
 * Outcomes: `found`, with the points and the time left in the window of each, in the order of the keys; 0 points if no
 * window is open.
 *
 * It looks up each counter in a subquery: a join would read the whole table if the table was small when the connection
 * made the plan.
 */
export const findCountersFunction = defineFunction({
  name: 'find_counters',
  args: { counterKeys: 'json' },
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
RETURN (SELECT json_build_object('outcome', 'found', 'counters', json_agg(coalesce((
    SELECT json_build_object('points', points, 'msBeforeNext', ends_at_ms - now_ms)
    FROM counters WHERE counter_key = wanted.key AND now_ms < ends_at_ms
  ), json_build_object('points', 0, 'msBeforeNext', 0)) ORDER BY index))
  FROM json_array_elements_text(p_counter_keys) WITH ORDINALITY AS wanted (key, index));
`,
});

export async function findCounters(
  call: CallFunction,
  keys: readonly string[],
): Promise<readonly (LimiterState | null)[]> {
  const result = await call(findCountersFunction, { counterKeys: keys.map(storableText) });
  result.expectOutcome('found');
  return result
    .list('counters')
    .map((counter) => (counter.integer('points') === 0 ? null : counterState(counter)));
}
