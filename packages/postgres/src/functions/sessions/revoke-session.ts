import type { SessionRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { SET_ENDED } from './set-ended.ts';

/**
 * Ends one session.
 *
 * Outcomes: `ended` by this call; `over`, if the session had ended before.
 */
export const revokeSessionFunction = defineFunction({
  name: 'revoke_session',
  args: { userId: 'text', sessionId: 'text' },
  declare: 'session sessions;',
  body: `
SELECT * INTO session FROM sessions
WHERE user_id = p_user_id AND session_id = p_session_id FOR UPDATE;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
-- FOUND is still that of the SELECT, as an assignment does not set it.
IF NOT FOUND OR session.is_ended THEN RETURN json_build_object('outcome', 'over'); END IF;
UPDATE sessions SET ${SET_ENDED}
WHERE user_id = p_user_id AND session_id = p_session_id;
RETURN json_build_object(
  'outcome', CASE WHEN is_alive(session, now_ms) THEN 'ended' ELSE 'over' END);
`,
});

export async function revokeSession(call: CallFunction, ref: SessionRef): Promise<boolean> {
  const result = await call(revokeSessionFunction, ref);
  return result.outcome(['ended', 'over']) === 'ended';
}
