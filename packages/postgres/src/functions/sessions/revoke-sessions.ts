import type { SessionRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { SET_ENDED } from './set-ended.ts';

/**
 * Ends every session of a user except the kept one, if any, and every pending challenge. The row of a kept session that
 * is live is not written, so no rotation of it waits for this call. A kept session that is not live also ends.
 *
 * Outcomes: `ended`.
 *
 * The time is stored so that logins in progress are rejected: see `staleLogin`.
 */
export const revokeSessionsFunction = defineFunction({
  name: 'revoke_sessions',
  args: { userId: 'text', keptSessionId: 'text' },
  declare: 'owner users := lock_user(p_user_id);',
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
UPDATE users SET revoked_all_at_ms = greatest(owner.revoked_all_at_ms, now_ms)
WHERE user_id = p_user_id;
UPDATE sessions SET ${SET_ENDED}
WHERE user_id = p_user_id AND NOT is_ended
  AND (session_id IS DISTINCT FROM p_kept_session_id OR NOT is_alive(sessions, now_ms));
UPDATE challenges SET is_ended = true
WHERE user_id = p_user_id AND NOT is_ended;
RETURN json_build_object('outcome', 'ended');
`,
});

export async function revokeAllSessions(call: CallFunction, userId: string): Promise<void> {
  const result = await call(revokeSessionsFunction, { userId, keptSessionId: null });
  result.expectOutcome('ended');
}

export async function revokeOtherSessions(
  call: CallFunction,
  { userId, sessionId }: SessionRef,
): Promise<void> {
  const result = await call(revokeSessionsFunction, { userId, keptSessionId: sessionId });
  result.expectOutcome('ended');
}
