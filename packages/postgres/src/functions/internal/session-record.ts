import type { SqlDefinition } from '../../define-function.ts';

/** `session_record(p_session)`: a session in the format of `parseSessionRecord`. */
export const sessionRecord: SqlDefinition = {
  define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.session_record(
  p_session ${schema}.sessions
) RETURNS json LANGUAGE sql STABLE
AS $function$
  SELECT json_build_object(
    'grant', p_session.session_grant,
    'createdAtMs', p_session.created_at_ms,
    'expiresAtMs', p_session.expires_at_ms,
    'rotatedAtMs', p_session.rotated_at_ms,
    'generation', p_session.generation
  )
$function$`,
};
