import { defineScript } from '../../define-script.ts';
import type { MfaMethod } from '../../store-methods.ts';
import { FIND_PENDING } from './fragments/find-pending.ts';
import { REPLACE_CODES } from './fragments/replace-codes.ts';

/**
 * Makes the pending enrolment the user's factor, which replaces an older factor and its recovery codes. Deletes the
 * pending enrolments of the user's other sessions.
 *
 * `codeHashes` is a JSON array. Outcomes: `confirmed`; `unknown`. A repeat of the call that confirmed the enrolment
 * changes nothing, even if codes were used or replaced after that call: the outcome is `confirmed`.
 *
 * One script removes the pending enrolment and stores the factor. Otherwise two parallel confirmations would both show
 * codes to their clients, and the codes of one client would be invalid. Redis rejects the first write when memory is
 * full, so that nothing is half written.
 */
const script = defineScript({
  name: 'confirm-enrolment',
  keys: ['pending', 'factor', 'codes'],
  args: { userId: 'text', sessionId: 'text', enrolmentId: 'text', codeHashes: 'text' },
  uses: [FIND_PENDING, REPLACE_CODES],
  lua: `
local digest = digestOfCodes(codeHashes)
local pending = findPending(pendingKey, sessionId)
if not pending or pending.enrolmentId ~= enrolmentId then
  local confirmedId, confirmedWith = unpack(redis.call('HMGET', factorKey, 'enrolmentId', 'confirmedWith'))
  local isRepeat = confirmedId == enrolmentId and confirmedWith == digest
  return reply(isRepeat and 'confirmed' or 'unknown')
end
redis.call('HSET', factorKey, 'userId', userId, 'encryptedSecret', pending.encryptedSecret,
  'confirmedAtMs', now, 'enrolmentId', enrolmentId, 'confirmedWith', digest, 'codesGiven', digest)
redis.call('DEL', pendingKey)
replaceCodes(codesKey, codeHashes)
return reply('confirmed')
`,
});

export const confirmEnrolment: MfaMethod<'confirm'> =
  ({ call, keyspace }) =>
  async (userId, confirmation) => {
    const codeHashes = JSON.stringify(confirmation.recoveryCodeHashes);
    const args = { userId, ...confirmation, codeHashes };
    const reply = await call(script, keyspace.ofFactor(userId), args);
    return reply.outcome(['confirmed', 'unknown']) === 'confirmed';
  };
