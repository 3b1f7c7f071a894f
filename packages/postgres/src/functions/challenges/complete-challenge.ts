import {
  type CompleteOutcome,
  type CompleteRequest,
  sessionGrantOf,
} from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseSessionRecord } from '../../session-record.ts';

/**
 * Completes a challenge after a valid code: marks the challenge and the TOTP step as used, clears the failures, and
 * starts the session.
 *
 * `p_totp_step` is null for a recovery code. Outcomes: `completed`, with the session; `step_used`, if a code of this or
 * a later time step was used before; `gone`, if the challenge has ended, was completed with another session, or does
 * not exist.
 *
 * A completed challenge is marked, not deleted, so that a repeated call has the same result, and a repeated `create`
 * cannot start the challenge again.
 */
export const completeChallengeFunction = defineFunction({
  name: 'complete_challenge',
  args: {
    userId: 'text',
    challengeId: 'text',
    totpStep: 'bigint',
    sessionId: 'text',
    grant: 'json',
    idleMs: 'bigint',
    absoluteMs: 'bigint',
    maxPerUser: 'bigint',
  },
  declare: `
owner users;
challenge challenges;
session sessions;
`,
  body: `
SELECT * INTO owner FROM users WHERE user_id = p_user_id FOR UPDATE;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
SELECT * INTO challenge FROM challenges
WHERE user_id = p_user_id AND challenge_id = p_challenge_id
  AND now_ms < expires_at_ms AND NOT is_ended;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'gone'); END IF;
IF challenge.used_by IS NOT NULL THEN
  SELECT * INTO session FROM sessions s
  WHERE s.user_id = p_user_id AND s.session_id = p_session_id AND is_alive(s, now_ms);
  IF FOUND AND challenge.used_by = p_session_id THEN
    RETURN json_build_object('outcome', 'completed', 'session', session_record(session));
  END IF;
  RETURN json_build_object('outcome', 'gone');
END IF;
IF p_totp_step <= owner.last_totp_step THEN RETURN json_build_object('outcome', 'step_used'); END IF;

UPDATE users
SET last_totp_step = coalesce(p_totp_step, last_totp_step),
  failures = 0, locked_until_ms = 0, is_suspended = false
WHERE user_id = p_user_id;
UPDATE challenges SET used_by = p_session_id
WHERE user_id = p_user_id AND challenge_id = p_challenge_id;
RETURN json_build_object('outcome', 'completed', 'session', start_session(
  p_user_id, p_session_id, p_grant::text, p_idle_ms, p_absolute_ms, p_max_per_user, now_ms));
`,
});

export async function completeChallenge(
  call: CallFunction,
  request: CompleteRequest,
): Promise<CompleteOutcome> {
  const { session, challengeId, totpStep } = request;
  const result = await call(completeChallengeFunction, {
    challengeId,
    totpStep,
    grant: sessionGrantOf(session),
    maxPerUser: request.maxSessionsPerUser,
    ...session,
  });
  const outcome = result.outcome(['completed', 'step_used', 'gone']);
  return outcome === 'completed'
    ? { outcome, session: parseSessionRecord(result.object('session')) }
    : { outcome };
}
