import type { SqlDefinition } from '../../define-function.ts';
import { SET_ENDED } from '../sessions/set-ended.ts';
import { defineStep } from './define-step.ts';
import { deleteExpired } from './delete-expired.ts';

/** How long the row of a session is kept after its absolute end, ms, so that a rotation returns `expired`. */
const LINGER_MS = 3_600_000;

/**
 * `start_session(...)`: starts a session, after a login without a second factor or a completed challenge. Returns the
 * new record, or the existing record of this id. The caller has locked the user. `now_ms` lacks the prefix of
 * parameters because the statements of `SET_ENDED` and `deleteExpired` use this name.
 *
 * The sessions beyond the cap are ended before the new session is stored, so that a tie within one millisecond cannot
 * end the new one. All live sessions are locked before that, so that a session that is just being rotated does not
 * count as the least recently rotated one.
 *
 * Each call also deletes a few expired sessions of any user, which keeps up with any number of logins. The deletion
 * comes last and skips locked rows, so that it cannot deadlock: it waits for no lock, and no wait follows it.
 */
export const startSession: SqlDefinition = defineStep({
  name: 'start_session',
  params: `p_user_id text, p_session_id text, p_grant text, p_idle_ms bigint, p_absolute_ms bigint,
  p_max_per_user bigint, now_ms bigint`,
  returns: 'json',
  declare: `
  v_session sessions;
  v_live_count bigint;
`,
  body: `
  SELECT * INTO v_session FROM sessions WHERE user_id = p_user_id AND session_id = p_session_id;
  IF FOUND THEN RETURN session_record(v_session); END IF;

  SELECT count(*) INTO v_live_count FROM sessions s WHERE s.user_id = p_user_id AND is_alive(s, now_ms);
  IF v_live_count >= p_max_per_user THEN
    PERFORM FROM sessions s WHERE s.user_id = p_user_id AND is_alive(s, now_ms) FOR UPDATE;
    UPDATE sessions SET ${SET_ENDED}
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
  RETURNING * INTO v_session;

  ${deleteExpired('sessions', 'forget_at_ms')}
  RETURN session_record(v_session);
`,
});
