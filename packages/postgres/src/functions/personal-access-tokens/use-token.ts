import type { PersonalAccessTokenRecord } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseFoundToken } from '../../personal-access-token-record.ts';

/**
 * Finds a live token, and records its use unless one was recorded less than `p_touch_every_ms` ago.
 *
 * Outcomes: `found`, with the record; `unknown`.
 *
 * It runs at every request with a token, so it limits its writes. If the row is locked, another call is recording the
 * use, so this call does not write: parallel requests do not wait for one another.
 */
export const useTokenFunction = defineFunction({
  name: 'use_personal_access_token',
  args: { tokenHash: 'text', touchEveryMs: 'bigint' },
  declare: 'token personal_access_tokens;',
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
SELECT * INTO token FROM personal_access_tokens
WHERE token_hash = p_token_hash AND NOT is_revoked AND now_ms < expires_at_ms;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'unknown'); END IF;
IF token.last_used_at_ms IS NULL OR now_ms - token.last_used_at_ms >= p_touch_every_ms THEN
  PERFORM FROM personal_access_tokens WHERE token_hash = p_token_hash FOR UPDATE SKIP LOCKED;
  IF FOUND THEN
    UPDATE personal_access_tokens SET last_used_at_ms = now_ms WHERE token_hash = p_token_hash;
  END IF;
  token.last_used_at_ms := now_ms;
END IF;
RETURN json_build_object('outcome', 'found', 'token', token_record(token));
`,
});

export async function useToken(
  call: CallFunction,
  tokenHash: string,
  { touchEveryMs }: { readonly touchEveryMs: number },
): Promise<PersonalAccessTokenRecord | null> {
  return parseFoundToken(await call(useTokenFunction, { tokenHash, touchEveryMs }));
}
