import { defineScript } from '../../define-script.ts';
import type { MfaMethod } from '../../store-methods.ts';

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

export const removeFactor: MfaMethod<'remove'> =
  ({ call, keyspace }) =>
  async (userId) => {
    const reply = await call(script, keyspace.ofFactor(userId), {});
    return reply.outcome(['removed', 'none']) === 'removed';
  };
