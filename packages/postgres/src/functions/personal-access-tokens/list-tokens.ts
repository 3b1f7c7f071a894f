import type { Page, PersonalAccessTokenRecord } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseTokenRecord } from '../../personal-access-token-record.ts';

/**
 * Lists a user's live tokens after the sequence `p_after`, in the order of creation. `p_after` null: from the first.
 *
 * Outcomes: `listed`, with the records.
 */
export const listTokensFunction = defineFunction({
  name: 'list_personal_access_tokens',
  args: { userId: 'text', after: 'bigint', limit: 'bigint' },
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
RETURN json_build_object('outcome', 'listed', 'tokens', coalesce((
  SELECT json_agg(token_record(page::personal_access_tokens) ORDER BY sequence) FROM (
    SELECT * FROM personal_access_tokens
    WHERE user_id = p_user_id AND NOT is_revoked AND now_ms < expires_at_ms
      AND sequence > coalesce(p_after, 0)
    ORDER BY sequence LIMIT p_limit
  ) page
), '[]'));
`,
});

export async function listTokens(
  call: CallFunction,
  userId: string,
  page: Page,
): Promise<readonly PersonalAccessTokenRecord[]> {
  const result = await call(listTokensFunction, { userId, ...page });
  result.expectOutcome('listed');
  return result.list('tokens').map(parseTokenRecord);
}
