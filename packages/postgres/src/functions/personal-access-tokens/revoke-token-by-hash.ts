import type { PersonalAccessTokenRecord } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseFoundToken } from '../../personal-access-token-record.ts';
import { SET_REVOKED } from './set-revoked.ts';

/**
 * Ends a leaked token by its hash, regardless of its owner.
 *
 * Outcomes: `found`, with the record of the token that this call ended; `unknown`, if there is no live token.
 */
export const revokeTokenByHashFunction = defineFunction({
  name: 'revoke_personal_access_token_by_hash',
  args: { tokenHash: 'text' },
  declare: 'token personal_access_tokens;',
  body: `
-- Locks the row first, as the time must be read after the wait for the lock.
PERFORM FROM personal_access_tokens WHERE token_hash = p_token_hash FOR UPDATE;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
UPDATE personal_access_tokens SET ${SET_REVOKED}
WHERE token_hash = p_token_hash AND NOT is_revoked AND now_ms < expires_at_ms
RETURNING * INTO token;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'unknown'); END IF;
RETURN json_build_object('outcome', 'found', 'token', token_record(token));
`,
});

export async function revokeTokenByHash(
  call: CallFunction,
  tokenHash: string,
): Promise<PersonalAccessTokenRecord | null> {
  return parseFoundToken(await call(revokeTokenByHashFunction, { tokenHash }));
}
