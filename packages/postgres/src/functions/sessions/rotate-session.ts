import { ROTATE_OUTCOMES, type RotateOutcome, type RotateRequest } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseSessionRecord } from '../../session-record.ts';
import { SET_ENDED } from './set-ended.ts';

/**
 * Exchanges a generation of a session for the next one.
 *
 * Outcomes: `rotated`, `rolled_forward`, `replayed`, each with the time and the record; `busy`, `reused`, `expired`,
 * `revoked`, `unknown`.
 *
 * It locks the session's row before it reads the generation. Otherwise two parallel refreshes would both succeed, and
 * one family of tokens would become two. It need not lock the user: a transition that ends all sessions of a user also
 * updates this row, so it runs either before or after.
 */
export const rotateSessionFunction = defineFunction({
  name: 'rotate_session',
  args: {
    userId: 'text',
    sessionId: 'text',
    generation: 'bigint',
    graceMs: 'bigint',
    idleMs: 'bigint',
    replayLimit: 'bigint',
    rollForwardLimit: 'bigint',
  },
  declare: `
session sessions;
ahead bigint;
idle_for_ms bigint;
`,
  body: `
SELECT * INTO session FROM sessions
WHERE user_id = p_user_id AND session_id = p_session_id FOR UPDATE;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'unknown'); END IF;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
IF session.is_ended THEN RETURN json_build_object('outcome', 'revoked'); END IF;
idle_for_ms := now_ms - session.rotated_at_ms;
IF now_ms >= session.expires_at_ms OR idle_for_ms >= p_idle_ms THEN
  RETURN json_build_object('outcome', 'expired');
END IF;
ahead := p_generation - session.generation;
IF ahead > p_roll_forward_limit THEN RETURN json_build_object('outcome', 'unknown'); END IF;

IF ahead >= 0 THEN
  UPDATE sessions
  SET generation = p_generation + 1, rotated_at_ms = now_ms, idle_ms = p_idle_ms, replays = 0
  WHERE user_id = p_user_id AND session_id = p_session_id
  RETURNING * INTO session;
  RETURN json_build_object(
    'outcome', CASE WHEN ahead = 0 THEN 'rotated' ELSE 'rolled_forward' END,
    'nowMs', now_ms, 'session', session_record(session));
END IF;

-- Only the immediate predecessor is accepted. If older generations were accepted, a thief that refreshes in lock-step
-- would never be detected.
IF ahead = -1 AND idle_for_ms <= p_grace_ms THEN
  IF session.replays >= p_replay_limit THEN RETURN json_build_object('outcome', 'busy'); END IF;
  UPDATE sessions SET replays = replays + 1
  WHERE user_id = p_user_id AND session_id = p_session_id;
  RETURN json_build_object(
    'outcome', 'replayed', 'nowMs', now_ms, 'session', session_record(session));
END IF;

UPDATE sessions SET ${SET_ENDED}
WHERE user_id = p_user_id AND session_id = p_session_id;
RETURN json_build_object('outcome', 'reused');
`,
});

export async function rotateSession(
  call: CallFunction,
  request: RotateRequest,
): Promise<RotateOutcome> {
  const result = await call(rotateSessionFunction, request);
  const outcome = result.outcome(ROTATE_OUTCOMES);
  switch (outcome) {
    case 'rotated':
    case 'rolled_forward':
    case 'replayed': {
      const session = parseSessionRecord(result.object('session'));
      return { outcome, nowMs: result.integer('nowMs'), session };
    }
    default:
      return { outcome };
  }
}
