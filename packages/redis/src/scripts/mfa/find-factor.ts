import type { EnrolledFactor } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { FactorKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { ASSERT_MASTER } from '../fragments/assert-master.ts';

/**
 * Reads a user's factor.
 *
 * Outcomes: `found`, with the encrypted secret, the enrolment, when it was confirmed and how many codes are left;
 * `none`.
 *
 * It only reads, yet is a script that masters alone answer. A plain read may be routed to a replica
 * (`scaleReads` of ioredis), which may not know yet that the user has a factor, and would let them in without.
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
