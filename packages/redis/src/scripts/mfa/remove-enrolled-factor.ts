import { defineScript } from '../../define-script.ts';
import type { FactorKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';

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

export async function removeEnrolledFactor(
  call: CallScript,
  keys: FactorKeys,
  enrolmentId: string,
): Promise<boolean> {
  const reply = await call(script, keys, { enrolmentId });
  return reply.outcome(['removed', 'none']) === 'removed';
}
