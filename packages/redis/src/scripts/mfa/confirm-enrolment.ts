import type { ConfirmEnrolment } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { FactorKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { FIND_PENDING } from './fragments/find-pending.ts';
import { GIVE_CODES } from './fragments/give-codes.ts';

/**
 * Makes the pending enrolment the user's factor, in place of an older one and its recovery codes, and deletes the
 * pending enrolments of the user's other sessions.
 *
 * `codeHashes` is a JSON array. Outcomes: `confirmed`, also for a repeat of the call that confirmed it, which changes
 * nothing, even if codes were used or replaced since; `unknown`.
 *
 * One script removes the pending enrolment and stores the factor. Otherwise two parallel confirmations would both show
 * codes to their clients, and the codes of one would be invalid. Its first write is one that Redis rejects when memory
 * is full, so that nothing is half written.
 */
const script = defineScript({
  name: 'confirm-enrolment',
  keys: ['pending', 'factor', 'codes'],
  args: { userId: 'text', sessionId: 'text', enrolmentId: 'text', codeHashes: 'text' },
  uses: [FIND_PENDING, GIVE_CODES],
  lua: `
local digest = digestOf(codeHashes)
local pending = findPending(pendingKey, sessionId)
if not pending or pending.enrolmentId ~= enrolmentId then
  local confirmedId, confirmedWith = unpack(redis.call('HMGET', factorKey, 'enrolmentId', 'confirmedWith'))
  local isRepeat = confirmedId == enrolmentId and confirmedWith == digest
  return answer(isRepeat and 'confirmed' or 'unknown')
end
redis.call('HSET', factorKey, 'userId', userId, 'encryptedSecret', pending.encryptedSecret,
  'confirmedAtMs', now, 'enrolmentId', enrolmentId, 'confirmedWith', digest, 'codesGiven', digest)
redis.call('DEL', pendingKey)
giveCodes(codesKey, codeHashes)
return answer('confirmed')
`,
});

export async function confirmEnrolment(
  call: CallScript,
  keys: FactorKeys,
  userId: string,
  { sessionId, enrolmentId, recoveryCodeHashes }: ConfirmEnrolment,
): Promise<boolean> {
  const codeHashes = JSON.stringify(recoveryCodeHashes);
  const args = { userId, sessionId, enrolmentId, codeHashes };
  const reply = await call(script, keys, args);
  return reply.outcome(['confirmed', 'unknown']) === 'confirmed';
}
