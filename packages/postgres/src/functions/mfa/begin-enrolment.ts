import type { NewEnrolment } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { deleteExpired } from '../internal/delete-expired.ts';

/**
 * Stores a secret as pending until a code confirms it, and replaces an earlier pending secret of the same session.
 *
 * Outcomes: `begun`. If this enrolment is pending or was confirmed, nothing changes.
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
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
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
  enrolment: NewEnrolment,
): Promise<void> {
  const result = await call(beginEnrolmentFunction, { userId, ...enrolment });
  result.expectOutcome('begun');
}
