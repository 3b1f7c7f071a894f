import type { PersonalAccessTokenRecord } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { PersonalAccessTokenKeys } from '../../personal-access-token-keyspace.ts';
import { parseFoundToken, TOKEN } from '../../personal-access-token-record.ts';
import type { CallScript } from '../../script-caller.ts';
import { ASSERT_MASTER } from '../fragments/assert-master.ts';
import { READ_TOKEN } from './fragments/read-token.ts';

const { at } = TOKEN;

/**
 * Finds a live token, and notes its use if the last one noted was `touchEveryMs` ago or longer.
 *
 * Outcomes: `found`, with the record; `unknown`.
 *
 * It runs at each request that brings a token, so it writes no more often than that. `pcall`, since a full Redis
 * rejects the note, which is no reason to reject the token.
 */
const script = defineScript({
  name: 'use-token',
  keys: ['root'],
  args: { tokenHash: 'text', touchEveryMs: 'number' },
  uses: [ASSERT_MASTER, READ_TOKEN],
  lua: `
local record = findLive(tokenHash)
if not record then
  assertMaster('ZREM', rootKey)
  return answer('unknown')
end
local lastUsedAtMs = tonumber(record[${at.lastUsedAtMs}])
if not lastUsedAtMs or now - lastUsedAtMs >= touchEveryMs then
  local noted = redis.pcall('HSET', tokenKey(tokenHash), 'lastUsedAtMs', now)
  if type(noted) == 'number' then record[${at.lastUsedAtMs}] = now
  elseif not noted.err:find('OOM', 1, true) then return noted end
else
  assertMaster('ZREM', rootKey)
end
return answer('found', record)
`,
});

export async function useToken(
  call: CallScript,
  keys: PersonalAccessTokenKeys,
  tokenHash: string,
  { touchEveryMs }: { readonly touchEveryMs: number },
): Promise<PersonalAccessTokenRecord | null> {
  return parseFoundToken(await call(script, keys, { tokenHash, touchEveryMs }));
}
