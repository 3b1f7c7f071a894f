import { LONGEST_PENDING_MS } from '@latchhook/core/storage';
import type { SqlDefinition } from '../../define-function.ts';

/**
 * `stale_login(p_revoked_all_at_ms, p_now_ms, p_authentication_ms, p_earliest_begin_ms)`: whether a `revokeAll` came
 * after a login began that is about to be stored: `stale_login` where it did, `needs_retry` where it may have, else
 * null.
 *
 * `p_authentication_ms` is the age of the login when the call was sent; by now it is older, by how much is not known
 * here. So it began at the latest that long ago, and at the earliest at `p_earliest_begin_ms`, if the caller knows.
 */
export const staleLogin: SqlDefinition = {
  define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.stale_login(
  p_revoked_all_at_ms bigint,
  p_now_ms bigint,
  p_authentication_ms bigint,
  p_earliest_begin_ms bigint
) RETURNS text LANGUAGE sql IMMUTABLE
AS $function$
  SELECT CASE
    WHEN p_now_ms - p_authentication_ms <= p_revoked_all_at_ms THEN 'stale_login'
    WHEN coalesce(p_earliest_begin_ms, p_now_ms - p_authentication_ms - ${LONGEST_PENDING_MS})
      <= p_revoked_all_at_ms THEN 'needs_retry'
  END
$function$`,
};

/** What a transition that stores a login declares ... */
export const DECLARE_LOGIN = `
owner users := lock_user(p_user_id);
outcome text;
`;

/** ... and begins with: it goes on where no `revokeAll` can have come after the login began. */
export const ENTER_UNLESS_STALE_LOGIN = `
now_ms := enter(p_command_expires_at_ms, p_clock_ms);
outcome := stale_login(owner.revoked_all_at_ms, now_ms, p_authentication_ms, p_earliest_begin_ms);
IF outcome IS NOT NULL THEN
  RETURN json_build_object('outcome', outcome, 'nowMs', now_ms);
END IF;
`;
