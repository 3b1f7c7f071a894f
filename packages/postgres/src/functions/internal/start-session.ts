import type { SqlDefinition } from '../../define-function.ts';
import { END_SESSION } from '../sessions/end-session.ts';
import { forgetPast } from './forget-past.ts';

/** How long a session stays known after its absolute end, so that a rotation is answered `expired`. */
const LINGER_MS = 3_600_000;

/**
 * `start_session(...)`: starts a session, for a login without a second factor or after the right answer to a challenge.
 * Returns the new record, or the one that the id has already. The user is locked.
 *
 * Which sessions the cap ends is decided before the new one is stored, so that a tie within one millisecond cannot end
 * that; and after all live ones are locked, so that one that is being rotated right now is not taken for the one that
 * was rotated least recently.
 *
 * Each call also deletes a few expired sessions of any user, which keeps up with any number of logins. That comes last
 * and skips locked rows: it waits for no lock, and no lock is waited for after it.
 */
export const startSession: SqlDefinition = {
  define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.start_session(
  p_user_id text,
  p_session_id text,
  p_grant text,
  p_idle_ms bigint,
  p_absolute_ms bigint,
  p_max_per_user bigint,
  now_ms bigint
) RETURNS json LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  started sessions;
  live_count bigint;
BEGIN
  SELECT * INTO started FROM sessions WHERE user_id = p_user_id AND session_id = p_session_id;
  IF FOUND THEN
    RETURN session_answer(started);
  END IF;

  SELECT count(*) INTO live_count FROM sessions s WHERE s.user_id = p_user_id AND is_alive(s, now_ms);
  IF live_count >= p_max_per_user THEN
    PERFORM FROM sessions s WHERE s.user_id = p_user_id AND is_alive(s, now_ms) FOR UPDATE;
    UPDATE sessions SET ${END_SESSION}
    WHERE user_id = p_user_id AND session_id IN (
      SELECT s.session_id FROM sessions s
      WHERE s.user_id = p_user_id AND is_alive(s, now_ms)
      ORDER BY s.rotated_at_ms DESC, s.created_at_ms DESC, s.session_id DESC
      OFFSET greatest(p_max_per_user - 1, 0)
    );
  END IF;

  INSERT INTO sessions (user_id, session_id, session_grant, created_at_ms, expires_at_ms,
    rotated_at_ms, idle_ms, generation, forget_at_ms)
  VALUES (p_user_id, p_session_id, p_grant, now_ms, now_ms + p_absolute_ms,
    now_ms, p_idle_ms, 1, now_ms + p_absolute_ms + ${LINGER_MS})
  RETURNING * INTO started;

  ${forgetPast('sessions', 'forget_at_ms')}
  RETURN session_answer(started);
END
$function$`,
};
