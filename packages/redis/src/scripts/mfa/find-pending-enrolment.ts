import { defineScript } from '../../define-script.ts';
import type { MfaMethod } from '../../store-methods.ts';
import { FIND_PENDING } from './fragments/find-pending.ts';

/**
 * Reads the pending enrolment of a session.
 *
 * Outcomes: `found`, with the id, the encrypted secret and the time; `none`.
 */
const script = defineScript({
  name: 'find-pending-enrolment',
  keys: ['pending'],
  args: { sessionId: 'text' },
  uses: [FIND_PENDING],
  lua: `
local pending = findPending(pendingKey, sessionId)
if not pending then return reply('none') end
return reply('found', pending.enrolmentId, pending.encryptedSecret, now)
`,
});

export const findPendingEnrolment: MfaMethod<'findPending'> =
  ({ call, keyspace }) =>
  async (userId, sessionId) => {
    const reply = await call(script, keyspace.ofFactor(userId), { sessionId });
    if (reply.outcome(['found', 'none']) === 'none') return null;
    return { enrolmentId: reply.text(), encryptedSecret: reply.text(), nowMs: reply.integer() };
  };
