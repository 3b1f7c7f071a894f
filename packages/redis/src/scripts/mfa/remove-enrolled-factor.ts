import { defineScript } from '../../define-script.ts';
import type { MfaMethod } from '../../store-methods.ts';

/**
 * Removes a user's factor and its recovery codes, if the factor comes from this enrolment.
 *
 * Outcomes: `removed`; `none`, also if the user has another factor.
 *
 * One script compares and removes. Otherwise a factor that is confirmed between the two steps would be lost.
 */
const script = defineScript({
  name: 'remove-enrolled-factor',
  keys: ['factor', 'codes'],
  args: { enrolmentId: 'text' },
  lua: `
if redis.call('HGET', factorKey, 'enrolmentId') ~= enrolmentId then return reply('none') end
redis.call('DEL', factorKey, codesKey)
return reply('removed')
`,
});

export const removeEnrolledFactor: MfaMethod<'removeEnrolled'> =
  ({ call, keyspace }) =>
  async (userId, enrolmentId) => {
    const reply = await call(script, keyspace.ofFactor(userId), { enrolmentId });
    return reply.outcome(['removed', 'none']) === 'removed';
  };
