import type { LimiterState } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { COUNT_POINT } from '../internal/count-point.ts';
import { deleteExpired } from '../internal/delete-expired.ts';
import { counterState } from './counter-state.ts';

/**
 * Adds a point to a counter, and opens a window if none is open.
 *
 * Outcomes: `counted`, with the points and the time left in the window.
 *
 * Also deletes a few counters whose window is over, as `start_session` does with sessions.
 */
export const addPointFunction = defineFunction({
  name: 'add_point',
  args: { counterKey: 'text', windowMs: 'bigint' },
  declare: 'counter counters;',
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
${COUNT_POINT} INTO counter;
${deleteExpired('counters', 'ends_at_ms')}
RETURN json_build_object('outcome', 'counted',
  'points', counter.points, 'msBeforeNext', counter.ends_at_ms - now_ms);
`,
});

export async function addPoint(
  call: CallFunction,
  counterKey: string,
  windowMs: number,
): Promise<LimiterState> {
  const result = await call(addPointFunction, { counterKey, windowMs });
  result.expectOutcome('counted');
  return counterState(result);
}
