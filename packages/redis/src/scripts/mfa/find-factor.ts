import type { EnrolledFactor } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { FactorKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { ASSERT_MASTER } from '../fragments/assert-master.ts';

/**
 * Reads a user's factor.
 *
 * Outcomes: `found`, with the encrypted secret, the enrolment, the time of confirmation and the number of unused codes;
 * `none`.
 *
 * It is a script although it only reads, as only masters run it. A plain read may go to a replica (`scaleReads` of
 * ioredis), which may not have the factor yet, so that the user could log in without it.
 */
const script = defineScript({
  name: 'find-factor',
  keys: ['factor', 'codes'],
  args: {},
  uses: [ASSERT_MASTER],
  lua: `
assertMaster('HDEL', factorKey)
local encryptedSecret, enrolmentId, confirmedAtMs = unpack(
  redis.call('HMGET', factorKey, 'encryptedSecret', 'enrolmentId', 'confirmedAtMs'))
if not encryptedSecret then return answer('none') end
return answer('found', encryptedSecret, enrolmentId, confirmedAtMs, redis.call('SCARD', codesKey))
`,
});

export async function findFactor(
  call: CallScript,
  keys: FactorKeys,
): Promise<EnrolledFactor | null> {
  const reply = await call(script, keys, {});
  if (reply.outcome(['found', 'none']) === 'none') return null;
  return {
    encryptedSecret: reply.text(),
    enrolmentId: reply.text(),
    confirmedAtMs: reply.integer(),
    recoveryCodesLeft: reply.integer(),
  };
}
