import { defineScript } from '../../define-script.ts';
import type { MfaMethod } from '../../store-methods.ts';
import { EXTEND_TTL } from '../fragments/extend-ttl.ts';
import { FIND_PENDING } from './fragments/find-pending.ts';

/**
 * Stores a secret as pending until a code confirms it, and replaces an earlier pending secret of the same session.
 * Deletes expired enrolments of the user's other sessions.
 *
 * Outcomes: `begun`. If this enrolment is pending or was confirmed, nothing changes.
 */
const script = defineScript({
  name: 'begin-enrolment',
  keys: ['pending', 'factor'],
  args: { sessionId: 'text', enrolmentId: 'text', encryptedSecret: 'text', ttlMs: 'number' },
  uses: [FIND_PENDING, EXTEND_TTL],
  lua: `
for _, otherId in ipairs(redis.call('HKEYS', pendingKey)) do
  if not findPending(pendingKey, otherId) then redis.call('HDEL', pendingKey, otherId) end
end
local pending = findPending(pendingKey, sessionId)
local isPending = pending and pending.enrolmentId == enrolmentId
local isConfirmed = redis.call('HGET', factorKey, 'enrolmentId') == enrolmentId
if not isPending and not isConfirmed then
  redis.call('HSET', pendingKey, sessionId, cjson.encode({
    enrolmentId = enrolmentId, encryptedSecret = encryptedSecret, expiresAtMs = now + ttlMs}))
  extendTtl(pendingKey, now + ttlMs)
end
return reply('begun')
`,
});

export const beginEnrolment: MfaMethod<'begin'> =
  ({ call, keyspace }) =>
  async (userId, enrolment) => {
    const reply = await call(script, keyspace.ofFactor(userId), enrolment);
    reply.expectOutcome('begun');
  };
