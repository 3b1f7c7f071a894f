import type { SqlDefinition } from '../../define-function.ts';

/** `token_record(p_token)`: a token in the format of `parseTokenRecord`. */
export const tokenRecord: SqlDefinition = {
  define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.token_record(
  p_token ${schema}.personal_access_tokens
) RETURNS json LANGUAGE sql STABLE
AS $function$
  SELECT json_build_object(
    'grant', p_token.token_grant,
    'sequence', p_token.sequence,
    'createdAtMs', p_token.created_at_ms,
    'expiresAtMs', p_token.expires_at_ms,
    'lastUsedAtMs', p_token.last_used_at_ms
  )
$function$`,
};
