import type { NewEnrolment } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { deleteExpired } from '../internal/delete-expired.ts';

/**
 * Stores a secret as pending until a code confirms it, in place of an earlier one of the same session.
 *
 * Outcomes: `begun`, also where this enrolment is pending or was confirmed, where it changes nothing.
 *
 * Also deletes a few expired enrolments of any user, as `start_session` does with sessions.
 */
export const beginEnrolmentFunction = defineFunction({
  name: 'begin_enrolment',
  args: {
    userId: 'text',
    sessionId: 'text',
    enrolmentId: 'text',
    encryptedSecret: 'text',
    ttlMs: 'bigint',
  },
  body: `
PERFORM lock_user(p_user_id);
now_ms := enter(p_command_expires_at_ms, p_clock_ms);
IF NOT EXISTS (
  SELECT FROM factors WHERE user_id = p_user_id AND enrolment_id = p_enrolment_id
) THEN
  INSERT INTO pending_enrolments AS pending
    (user_id, session_id, enrolment_id, encrypted_secret, expires_at_ms)
  VALUES (p_user_id, p_session_id, p_enrolment_id, p_encrypted_secret, now_ms + p_ttl_ms)
  ON CONFLICT (user_id, session_id) DO UPDATE
  SET enrolment_id = excluded.enrolment_id, encrypted_secret = excluded.encrypted_secret,
    expires_at_ms = excluded.expires_at_ms
  WHERE pending.enrolment_id <> excluded.enrolment_id OR pending.expires_at_ms <= now_ms;
END IF;
${deleteExpired('pending_enrolments', 'expires_at_ms')}
RETURN json_build_object('outcome', 'begun');
`,
});

export async function beginEnrolment(
  call: CallFunction,
  userId: string,
  { sessionId, enrolmentId, encryptedSecret, ttlMs }: NewEnrolment,
): Promise<void> {
  const args = { userId, sessionId, enrolmentId, encryptedSecret, ttlMs };
  const answer = await call(beginEnrolmentFunction, args);
  answer.outcome(['begun']);
}
