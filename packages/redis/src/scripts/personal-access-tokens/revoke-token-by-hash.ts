import type { PersonalAccessTokenRecord } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { PersonalAccessTokenKeys } from '../../personal-access-token-keyspace.ts';
import { parseFoundToken, TOKEN } from '../../personal-access-token-record.ts';
import type { CallScript } from '../../script-caller.ts';
import { ASSERT_MASTER } from '../fragments/assert-master.ts';
import { END_TOKEN } from './fragments/end-token.ts';
import { READ_TOKEN } from './fragments/read-token.ts';

/**
 * Ends a leaked token by its hash, regardless of its owner.
 *
 * Outcomes: `found`, with the record, where this call ended it; `unknown`, where there is none or it had ended before.
 */
const script = defineScript({
  name: 'revoke-token-by-hash',
  keys: ['root'],
  args: { tokenHash: 'text' },
  uses: [ASSERT_MASTER, END_TOKEN, READ_TOKEN],
  lua: `
assertMaster('ZREM', rootKey)
local record = findLive(tokenHash)
if not record then return answer('unknown') end
endToken(record[${TOKEN.at.userId}], tokenHash)
return answer('found', record)
`,
});

export async function revokeTokenByHash(
  call: CallScript,
  keys: PersonalAccessTokenKeys,
  tokenHash: string,
): Promise<PersonalAccessTokenRecord | null> {
  return parseFoundToken(await call(script, keys, { tokenHash }));
}
