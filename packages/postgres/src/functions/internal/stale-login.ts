import { LONGEST_PENDING_MS } from '@latchhook/core/storage';
import type { SqlDefinition } from '../../define-function.ts';

/**
 * `stale_login(p_revoked_all_at_ms, p_now_ms, p_login_age_ms, p_earliest_begin_ms)`: returns `stale_login` if a
 * `revokeAll` has run since the beginning of the login that is being stored, `needs_retry` if one may have run, else
 * null.
 *
 * `p_login_age_ms` is the age of the login when the call was sent. How long the call was pending is unknown, so
 * this age gives only the latest time at which the login can have begun. The earliest time is `p_earliest_begin_ms`; if
 * the caller does not know it, it is earlier than the latest by the longest time that a call can be pending.
 */
export const staleLogin: SqlDefinition = {
  define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.stale_login(
  p_revoked_all_at_ms bigint,
  p_now_ms bigint,
  p_login_age_ms bigint,
  p_earliest_begin_ms bigint
) RETURNS text LANGUAGE sql IMMUTABLE
AS $function$
  SELECT CASE
    WHEN p_now_ms - p_login_age_ms <= p_revoked_all_at_ms THEN 'stale_login'
    WHEN coalesce(p_earliest_begin_ms, p_now_ms - p_login_age_ms - ${LONGEST_PENDING_MS})
      <= p_revoked_all_at_ms THEN 'needs_retry'
  END
$function$`,
};

/** The declarations of a transition that stores a login. */
export const DECLARE_LOGIN = `
owner users := lock_user(p_user_id);
outcome text;
`;

/**
 * The first statements of a transition that stores a login. They return unless it is certain that no `revokeAll` has
 * run since the login began.
 */
export const RETURN_IF_STALE_LOGIN = `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
outcome := stale_login(owner.revoked_all_at_ms, now_ms, p_login_age_ms, p_earliest_begin_ms);
IF outcome IS NOT NULL THEN RETURN json_build_object('outcome', outcome, 'nowMs', now_ms); END IF;
`;
