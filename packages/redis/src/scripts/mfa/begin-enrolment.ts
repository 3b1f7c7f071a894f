import type { NewEnrolment } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { FactorKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { KEEP_UNTIL } from '../fragments/keep-until.ts';
import { FIND_PENDING } from './fragments/find-pending.ts';

/**
 * Stores a secret as pending until a code confirms it, in place of an earlier one of the same session. Deletes expired
 * enrolments of the user's other sessions.
 *
 * Outcomes: `begun`, also where this enrolment is pending or was confirmed, where it changes nothing.
 */
const script = defineScript({
  name: 'begin-enrolment',
  keys: ['pending', 'factor'],
  args: { sessionId: 'text', enrolmentId: 'text', encryptedSecret: 'text', ttlMs: 'number' },
  uses: [FIND_PENDING, KEEP_UNTIL],
  lua: `
for _, other in ipairs(redis.call('HKEYS', pendingKey)) do
  if not findPending(pendingKey, other) then redis.call('HDEL', pendingKey, other) end
end
local pending = findPending(pendingKey, sessionId)
local isPending = pending and pending.enrolmentId == enrolmentId
local isConfirmed = redis.call('HGET', factorKey, 'enrolmentId') == enrolmentId
if not isPending and not isConfirmed then
  redis.call('HSET', pendingKey, sessionId, cjson.encode({
    enrolmentId = enrolmentId, encryptedSecret = encryptedSecret, expiresAtMs = string.format('%.0f', now + ttlMs)}))
  keepUntil(pendingKey, now + ttlMs)
end
return answer('begun')
`,
});

export async function beginEnrolment(
  call: CallScript,
  keys: FactorKeys,
  { sessionId, enrolmentId, encryptedSecret, ttlMs }: NewEnrolment,
): Promise<void> {
  const reply = await call(script, keys, { sessionId, enrolmentId, encryptedSecret, ttlMs });
  reply.outcome(['begun']);
}
