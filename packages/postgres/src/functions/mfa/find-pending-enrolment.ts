import type { PendingEnrolment } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { storedText } from '../../storable-text.ts';

/**
 * Finds the pending enrolment of a session.
 *
 * Outcomes: `found`, with the enrolment and the time; `none`.
 */
export const findPendingEnrolmentFunction = defineFunction({
  name: 'find_pending_enrolment',
  args: { userId: 'text', sessionId: 'text' },
  declare: 'pending pending_enrolments;',
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
SELECT * INTO pending FROM pending_enrolments
WHERE user_id = p_user_id AND session_id = p_session_id AND now_ms < expires_at_ms;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'none'); END IF;
RETURN json_build_object('outcome', 'found',
  'enrolmentId', pending.enrolment_id, 'encryptedSecret', pending.encrypted_secret,
  'nowMs', now_ms);
`,
});

export async function findPendingEnrolment(
  call: CallFunction,
  userId: string,
  sessionId: string,
): Promise<PendingEnrolment | null> {
  const result = await call(findPendingEnrolmentFunction, { userId, sessionId });
  if (result.outcome(['found', 'none']) === 'none') return null;
  return {
    enrolmentId: storedText(result.text('enrolmentId')),
    encryptedSecret: storedText(result.text('encryptedSecret')),
    nowMs: result.integer('nowMs'),
  };
}
