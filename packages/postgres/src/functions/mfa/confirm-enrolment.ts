import type { ConfirmEnrolment } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { digestOfCodes } from './digest-of-codes.ts';

/**
 * Makes the pending enrolment the user's factor, which replaces an older factor and its recovery codes. Deletes the
 * pending enrolments of the user's other sessions.
 *
 * Outcomes: `confirmed`; `unknown`. A repeat of the call that confirmed the enrolment changes nothing, even if codes
 * were used or replaced after that call: the outcome is `confirmed`.
 *
 * It locks the user. Otherwise two parallel confirmations would both show codes to their clients, and the codes of one
 * client would be invalid.
 */
export const confirmEnrolmentFunction = defineFunction({
  name: 'confirm_enrolment',
  args: {
    userId: 'text',
    sessionId: 'text',
    enrolmentId: 'text',
    codes: 'json',
    codesDigest: 'text',
  },
  declare: 'pending pending_enrolments;',
  body: `
PERFORM lock_user(p_user_id);
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
DELETE FROM pending_enrolments
WHERE user_id = p_user_id AND session_id = p_session_id AND enrolment_id = p_enrolment_id
  AND now_ms < expires_at_ms
RETURNING * INTO pending;
IF NOT FOUND THEN
  RETURN json_build_object('outcome', CASE WHEN EXISTS (
    SELECT FROM factors WHERE user_id = p_user_id
      AND enrolment_id = p_enrolment_id AND confirmed_with = p_codes_digest
  ) THEN 'confirmed' ELSE 'unknown' END);
END IF;

INSERT INTO factors (user_id, encrypted_secret, confirmed_at_ms, enrolment_id, confirmed_with,
  codes_given)
VALUES (p_user_id, pending.encrypted_secret, now_ms, p_enrolment_id, p_codes_digest, p_codes_digest)
ON CONFLICT (user_id) DO UPDATE
SET encrypted_secret = excluded.encrypted_secret, confirmed_at_ms = excluded.confirmed_at_ms,
  enrolment_id = excluded.enrolment_id, confirmed_with = excluded.confirmed_with,
  codes_given = excluded.codes_given;
DELETE FROM pending_enrolments WHERE user_id = p_user_id;
PERFORM give_recovery_codes(p_user_id, p_codes);
RETURN json_build_object('outcome', 'confirmed');
`,
});

export async function confirmEnrolment(
  call: CallFunction,
  userId: string,
  { sessionId, enrolmentId, recoveryCodeHashes }: ConfirmEnrolment,
): Promise<boolean> {
  const codesDigest = digestOfCodes(recoveryCodeHashes);
  const args = { userId, sessionId, enrolmentId, codes: recoveryCodeHashes, codesDigest };
  const result = await call(confirmEnrolmentFunction, args);
  return result.outcome(['confirmed', 'unknown']) === 'confirmed';
}
