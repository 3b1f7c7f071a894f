import type { LimiterState } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { COUNT_POINT } from '../internal/count-point.ts';
import { deleteExpired } from '../internal/delete-expired.ts';
import { counterState } from './counter-state.ts';

/**
 * Adds a point to a counter, as `add_point` does, and sets the lock at every `p_lock_every`-th point: the first time
 * for the first duration of `p_locks_ms`, then for the second, and from the last one on always for the last.
 *
 * Outcomes: `counted`, with the points and the time left in the window.
 *
 * Expired counters are deleted last. Otherwise two calls could deadlock, if each had deleted the row that the other
 * needs.
 */
export const addPointWithLockFunction = defineFunction({
  name: 'add_point_with_lock',
  args: {
    counterKey: 'text',
    windowMs: 'bigint',
    lockKey: 'text',
    lockEvery: 'bigint',
    locksMs: 'json',
  },
  declare: 'counter counters;',
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
${COUNT_POINT} INTO counter;
IF counter.points % p_lock_every = 0 THEN
  PERFORM block_counter(p_command_expires_at_ms, p_clock_ms, p_lock_key, (p_locks_ms ->> (
    least(counter.points / p_lock_every, json_array_length(p_locks_ms))::int - 1
  ))::bigint);
END IF;
${deleteExpired('counters', 'ends_at_ms')}
RETURN json_build_object('outcome', 'counted',
  'points', counter.points, 'msBeforeNext', counter.ends_at_ms - now_ms);
`,
});

export async function addPointWithLock(
  call: CallFunction,
  counter: {
    readonly counterKey: string;
    readonly windowMs: number;
    readonly lockKey: string;
    readonly lockEvery: number;
    readonly locksMs: readonly number[];
  },
): Promise<LimiterState> {
  const result = await call(addPointWithLockFunction, counter);
  result.expectOutcome('counted');
  return counterState(result);
}
