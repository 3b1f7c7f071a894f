import { defineScript } from '../../define-script.ts';
import type { ChallengeMethod } from '../../store-methods.ts';
import { CLEAR_FAILURES } from '../fragments/clear-failures.ts';
import { EXTEND_USER_TTL } from '../fragments/extend-user-ttl.ts';

/**
 * Clears the failed attempts of a user, and lifts a lock or a suspension.
 *
 * Outcomes: `unlocked`.
 */
const script = defineScript({
  name: 'unlock-factor',
  keys: ['user'],
  args: {},
  uses: [CLEAR_FAILURES, EXTEND_USER_TTL],
  lua: `
clearFailures(userKey)
extendUserTtl(userKey)
return reply('unlocked')
`,
});

export const unlockFactor: ChallengeMethod<'unlock'> =
  ({ call, keyspace }) =>
  async (userId) => {
    const reply = await call(script, keyspace.ofUser(userId), {});
    reply.expectOutcome('unlocked');
  };
