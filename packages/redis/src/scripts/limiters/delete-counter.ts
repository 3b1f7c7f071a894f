import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';

/**
 * Deletes a counter.
 *
 * Outcomes: `deleted`; `none`, if no window was open.
 */
const script = defineScript({
  name: 'delete-counter',
  keys: ['counter'],
  args: {},
  lua: `
return reply(redis.call('DEL', counterKey) == 1 and 'deleted' or 'none')
`,
});

export async function deleteCounter(call: CallScript, counter: string): Promise<boolean> {
  const reply = await call(script, { counter }, {});
  return reply.outcome(['deleted', 'none']) === 'deleted';
}
