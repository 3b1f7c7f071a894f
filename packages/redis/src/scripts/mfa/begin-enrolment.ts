import type { PendingEnrolment } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { FactorKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { KEEP_UNTIL } from '../fragments/keep-until.ts';
import { FIND_PENDING } from './fragments/find-pending.ts';

/**
 * Keeps a secret as pending until a code proves it, in place of one that is pending already.
 *
 * Outcomes: `begun`; the same, and nothing changed, where this enrolment is pending already or was confirmed.
 */
const script = defineScript({
  name: 'begin-enrolment',
  keys: ['pending', 'factor'],
  args: { enrolmentId: 'text', sealedSecret: 'text', ttlMs: 'number' },
  uses: [FIND_PENDING, KEEP_UNTIL],
  lua: `
local pending = findPending(pendingKey)
local isPending = pending and pending.enrolmentId == enrolmentId
local isConfirmed = redis.call('HGET', factorKey, 'enrolmentId') == enrolmentId
if not isPending and not isConfirmed then
  redis.call('HSET', pendingKey,
    'enrolmentId', enrolmentId, 'sealedSecret', sealedSecret, 'expiresAtMs', now + ttlMs)
  keepUntil(pendingKey, now + ttlMs)
end
return answer('begun')
`,
});

export async function beginEnrolment(
  call: CallScript,
  keys: FactorKeys,
  { enrolmentId, sealedSecret, ttlMs }: PendingEnrolment & { readonly ttlMs: number },
): Promise<void> {
  const reply = await call(script, keys, { enrolmentId, sealedSecret, ttlMs });
  reply.outcome(['begun']);
}
