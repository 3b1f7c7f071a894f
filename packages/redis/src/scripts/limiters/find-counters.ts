import type { LimiterState } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { counterState } from './counter-state.ts';

/**
 * Reads counters.
 *
 * Outcomes: `found`, with the points and the time left in the window of each, in the order of the keys; 0 points if no
 * window is open.
 */
const script = defineScript({
  name: 'find-counters',
  keys: [],
  args: {},
  lua: `
local found = reply('found')
for _, counterKey in ipairs(KEYS) do
  found[#found + 1] = redis.call('GET', counterKey) or 0
  found[#found + 1] = redis.call('PTTL', counterKey)
end
return found
`,
});

export async function findCounters(
  call: CallScript,
  counterKeys: readonly string[],
): Promise<readonly (LimiterState | null)[]> {
  const reply = await call(script, {}, {}, { moreKeys: counterKeys });
  reply.expectOutcome('found');
  return counterKeys.map(() => {
    const state = counterState(reply);
    return state.consumedPoints === 0 ? null : state;
  });
}
