import type { LimiterState } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { counterState } from './counter-state.ts';

/**
 * Adds a point to a counter, and opens a window if none is open.
 *
 * Outcomes: `counted`, with the points and the time left in the window.
 */
const script = defineScript({
  name: 'add-point',
  keys: ['counter'],
  args: { windowSeconds: 'number' },
  lua: `
redis.call('SET', counterKey, '0', 'EX', windowSeconds, 'NX')
return reply('counted', redis.call('INCRBY', counterKey, 1), redis.call('PTTL', counterKey))
`,
});

export async function addPoint(
  call: CallScript,
  counter: string,
  windowSeconds: number,
): Promise<LimiterState> {
  const reply = await call(script, { counter }, { windowSeconds });
  reply.expectOutcome('counted');
  return counterState(reply);
}
