import type { SessionRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { END_SESSION } from './end-session.ts';

/**
 * Ends every session of a user, but for the one that is spared, if any, and every pending challenge. The spared session
 * is not written to, so that no parallel call finds it missing; if it does not live, none is spared.
 *
 * Outcomes: `ended`.
 *
 * Its time is kept for logins that are pending: see `overtaken`.
 */
export const revokeSessionsFunction = defineFunction({
  name: 'revoke_sessions',
  args: { userId: 'text', sparedSessionId: 'text' },
  declare: `
owner users := lock_user(p_user_id);
`,
  body: `
now_ms := enter(p_landing_limit_ms, p_clock_ms);
UPDATE users SET revoked_all_at_ms = greatest(owner.revoked_all_at_ms, now_ms)
WHERE user_id = p_user_id;
UPDATE sessions SET ${END_SESSION}
WHERE user_id = p_user_id AND NOT is_ended
  AND (session_id IS DISTINCT FROM p_spared_session_id OR NOT is_alive(sessions, now_ms));
UPDATE challenges SET is_ended = true
WHERE user_id = p_user_id AND NOT is_ended;
RETURN json_build_object('outcome', 'ended');
`,
});

export async function revokeAllSessions(call: CallFunction, userId: string): Promise<void> {
  const answer = await call(revokeSessionsFunction, { userId, sparedSessionId: null });
  answer.outcome(['ended']);
}

export async function revokeOtherSessions(
  call: CallFunction,
  { userId, sessionId }: SessionRef,
): Promise<void> {
  const answer = await call(revokeSessionsFunction, { userId, sparedSessionId: sessionId });
  answer.outcome(['ended']);
}
