import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';

/**
 * Opens a window with one point, which replaces an open window.
 *
 * Outcomes: `blocked`.
 */
const script = defineScript({
  name: 'block-counter',
  keys: ['counter'],
  args: { windowSeconds: 'number' },
  lua: `
redis.call('SET', counterKey, '1', 'EX', windowSeconds)
return reply('blocked')
`,
});

export async function blockCounter(
  call: CallScript,
  counter: string,
  windowSeconds: number,
): Promise<void> {
  const reply = await call(script, { counter }, { windowSeconds });
  reply.expectOutcome('blocked');
}
