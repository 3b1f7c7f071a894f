import { defineScript } from '../../define-script.ts';
import type { FactorKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';

/**
 * Removes a user's factor, its recovery codes and all pending enrolments.
 *
 * Outcomes: `removed`; `none`, if there was no factor.
 */
const script = defineScript({
  name: 'remove-factor',
  keys: ['factor', 'codes', 'pending'],
  args: {},
  lua: `
local removedCount = redis.call('DEL', factorKey)
redis.call('DEL', codesKey, pendingKey)
return reply(removedCount == 1 and 'removed' or 'none')
`,
});

export async function removeFactor(call: CallScript, keys: FactorKeys): Promise<boolean> {
  const reply = await call(script, keys, {});
  return reply.outcome(['removed', 'none']) === 'removed';
}
