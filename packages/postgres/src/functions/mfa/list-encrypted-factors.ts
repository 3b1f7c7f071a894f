import type { EncryptedPage } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { storedText } from '../../storable-text.ts';

/** Lists the secrets of factors, ordered by user. Outcome: `listed`, with the secrets. */
export const listEncryptedFactorsFunction = defineFunction({
  name: 'list_encrypted_factors',
  args: { after: 'text', limit: 'bigint' },
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
RETURN json_build_object('outcome', 'listed', 'factors', (
  SELECT coalesce(json_agg(json_build_object('userId', user_id, 'encryptedSecret', encrypted_secret)
      ORDER BY user_id), '[]')
    FROM (
      SELECT * FROM factors WHERE p_after IS NULL OR user_id > p_after ORDER BY user_id LIMIT p_limit
    ) page));
`,
});

export async function listEncryptedFactors(
  call: CallFunction,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
): Promise<EncryptedPage<string>> {
  const result = await call(listEncryptedFactorsFunction, { after: cursor, limit });
  result.expectOutcome('listed');
  const items = result.list('factors').map((factor) => ({
    owner: storedText(factor.text('userId')),
    encrypted: storedText(factor.text('encryptedSecret')),
  }));
  return { items, nextCursor: items.length < limit ? null : (items.at(-1)?.owner ?? null) };
}
