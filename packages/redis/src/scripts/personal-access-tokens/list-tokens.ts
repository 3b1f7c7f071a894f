import type { Page, PersonalAccessTokenRecord } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { PersonalAccessTokenKeys } from '../../personal-access-token-keyspace.ts';
import { parseTokenRecord } from '../../personal-access-token-record.ts';
import type { CallScript } from '../../script-caller.ts';
import { ASSERT_MASTER } from '../fragments/assert-master.ts';
import { LIVE_TOKENS } from './fragments/live-tokens.ts';

/**
 * Lists a user's live tokens in the order of creation, from the first where `after` is empty.
 *
 * Outcomes: `listed`, with the records.
 */
const script = defineScript({
  name: 'list-tokens',
  keys: ['root'],
  args: { userId: 'text', after: 'text', limit: 'number' },
  uses: [ASSERT_MASTER, LIVE_TOKENS],
  lua: `
assertMaster('ZREM', rootKey)
local records = {}
for index, token in ipairs(liveTokens(userId, after == '' and '-inf' or '(' .. after)) do
  if index > limit then break end
  records[index] = token.record
end
return answer('listed', records)
`,
});

export async function listTokens(
  call: CallScript,
  keys: PersonalAccessTokenKeys,
  userId: string,
  { limit, after }: Page,
): Promise<readonly PersonalAccessTokenRecord[]> {
  const reply = await call(script, keys, { userId, after: String(after ?? ''), limit });
  reply.outcome(['listed']);
  return Array.from(reply.list().lists(), parseTokenRecord);
}
