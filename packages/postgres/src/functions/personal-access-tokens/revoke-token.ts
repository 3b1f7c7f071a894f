import type { PersonalAccessTokenRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { SET_REVOKED } from './set-revoked.ts';

/**
 * Ends one of a user's tokens by its id, which is looked up among this user's tokens only.
 *
 * Outcomes: `ended` by this call; `over`, if the token had ended before, or is not a token of this user.
 */
export const revokeTokenFunction = defineFunction({
  name: 'revoke_personal_access_token',
  args: { userId: 'text', tokenId: 'text' },
  body: `
-- Locks the row first, as the time must be read after the wait for the lock.
PERFORM FROM personal_access_tokens
WHERE user_id = p_user_id AND token_id = p_token_id AND NOT is_revoked FOR UPDATE;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
UPDATE personal_access_tokens SET ${SET_REVOKED}
WHERE user_id = p_user_id AND token_id = p_token_id AND NOT is_revoked AND now_ms < expires_at_ms;
RETURN json_build_object('outcome', CASE WHEN FOUND THEN 'ended' ELSE 'over' END);
`,
});

export async function revokeToken(
  call: CallFunction,
  ref: PersonalAccessTokenRef,
): Promise<boolean> {
  const result = await call(revokeTokenFunction, ref);
  return result.outcome(['ended', 'over']) === 'ended';
}
