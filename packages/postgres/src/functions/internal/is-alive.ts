import type { SqlDefinition } from '../../define-function.ts';

/**
 * `is_alive(p_session, p_now_ms)`: whether a session has neither been ended, nor reached its idle timeout, nor expired.
 */
export const isAlive: SqlDefinition = {
  define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.is_alive(
  p_session ${schema}.sessions,
  p_now_ms bigint
) RETURNS boolean LANGUAGE sql IMMUTABLE
AS $function$
  SELECT NOT p_session.is_ended
    AND p_now_ms < least(p_session.expires_at_ms, p_session.rotated_at_ms + p_session.idle_ms)
$function$`,
};
