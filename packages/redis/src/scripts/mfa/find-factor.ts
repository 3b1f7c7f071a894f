import { defineScript } from '../../define-script.ts';
import type { MfaMethod } from '../../store-methods.ts';
import { FAIL_ON_REPLICA } from '../fragments/fail-on-replica.ts';

/**
 * Reads a user's factor.
 *
 * Outcomes: `found`, with the encrypted secret, the enrolment, the time of confirmation and the number of unused codes;
 * `none`.
 *
 * It only reads, but is a script because scripts run on masters only. A plain read may go to a replica (`scaleReads` of
 * ioredis), which may not have the factor yet, so that the user could log in without the factor.
 */
const script = defineScript({
  name: 'find-factor',
  keys: ['factor', 'codes'],
  args: {},
  uses: [FAIL_ON_REPLICA],
  lua: `
failOnReplica('hash', factorKey)
local encryptedSecret, enrolmentId, confirmedAtMs = unpack(
  redis.call('HMGET', factorKey, 'encryptedSecret', 'enrolmentId', 'confirmedAtMs'))
if not encryptedSecret then return reply('none') end
return reply('found', encryptedSecret, enrolmentId, confirmedAtMs, redis.call('SCARD', codesKey))
`,
});

export const findFactor: MfaMethod<'find'> =
  ({ call, keyspace }) =>
  async (userId) => {
    const reply = await call(script, keyspace.ofFactor(userId), {});
    if (reply.outcome(['found', 'none']) === 'none') return null;
    return {
      encryptedSecret: reply.text(),
      enrolmentId: reply.text(),
      confirmedAtMs: reply.integer(),
      recoveryCodesLeft: reply.integer(),
    };
  };
