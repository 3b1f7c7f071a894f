import type { LimiterState } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { counterState } from './counter-state.ts';

/**
 * Adds a point to a counter, as `add-point` does, and sets the lock at every `every`-th point.
 *
 * `lockSeconds` is a JSON array with the durations of the first lock of a window, the second, and so on. Locks beyond
 * its end last as long as its last element.
 *
 * Outcomes: `counted`, with the points and the time left in the window.
 */
const script = defineScript({
  name: 'add-point-with-lock',
  keys: ['counter', 'lock'],
  args: { windowSeconds: 'number', every: 'number', lockSeconds: 'text' },
  lua: `
redis.call('SET', counterKey, '0', 'EX', windowSeconds, 'NX')
local points = redis.call('INCRBY', counterKey, 1)
if points % every == 0 then
  local durations = cjson.decode(lockSeconds)
  redis.call('SET', lockKey, '1', 'EX', durations[math.min(points / every, #durations)])
end
return reply('counted', points, redis.call('PTTL', counterKey))
`,
});

export async function addPointWithLock(
  call: CallScript,
  keys: { readonly counter: string; readonly lock: string },
  settings: {
    readonly windowSeconds: number;
    readonly every: number;
    readonly lockSeconds: readonly number[];
  },
): Promise<LimiterState> {
  const reply = await call(script, keys, {
    ...settings,
    lockSeconds: JSON.stringify(settings.lockSeconds),
  });
  reply.expectOutcome('counted');
  return counterState(reply);
}
