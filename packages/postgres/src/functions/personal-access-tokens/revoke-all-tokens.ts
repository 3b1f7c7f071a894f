import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { SET_REVOKED } from './set-revoked.ts';

/**
 * Ends every token of a user.
 *
 * Outcomes: `ended`, with the number of tokens that were live.
 */
export const revokeAllTokensFunction = defineFunction({
  name: 'revoke_all_personal_access_tokens',
  args: { userId: 'text' },
  declare: 'ended_count bigint;',
  body: `
PERFORM lock_user(p_user_id);
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
UPDATE personal_access_tokens SET ${SET_REVOKED}
WHERE user_id = p_user_id AND NOT is_revoked AND now_ms < expires_at_ms;
GET DIAGNOSTICS ended_count = ROW_COUNT;
RETURN json_build_object('outcome', 'ended', 'count', ended_count);
`,
});

export async function revokeAllTokens(call: CallFunction, userId: string): Promise<number> {
  const result = await call(revokeAllTokensFunction, { userId });
  result.expectOutcome('ended');
  return result.integer('count');
}
