import type { SessionRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Returns whether a session is live.
 *
 * Outcomes: `live`, `over`.
 *
 * It only reads, but is not declared `STABLE`: a pooler may send read-only calls to a standby, where a revoked session
 * is still live for a while.
 */
export const isSessionLiveFunction = defineFunction({
  name: 'is_session_live',
  args: { userId: 'text', sessionId: 'text' },
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
RETURN json_build_object('outcome', CASE WHEN EXISTS (
  SELECT FROM sessions s
  WHERE s.user_id = p_user_id AND s.session_id = p_session_id AND is_alive(s, now_ms)
) THEN 'live' ELSE 'over' END);
`,
});

export async function isSessionLive(call: CallFunction, ref: SessionRef): Promise<boolean> {
  const result = await call(isSessionLiveFunction, ref);
  return result.outcome(['live', 'over']) === 'live';
}
