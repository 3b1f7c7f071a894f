import type { PersonalAccessTokenRecord } from '@latchhook/core';
import { defineScript } from '../../define-script.ts';
import type { PersonalAccessTokenKeys } from '../../personal-access-token-keyspace.ts';
import { parseFoundToken } from '../../personal-access-token-record.ts';
import type { CallScript } from '../../script-caller.ts';
import { END_TOKEN } from './fragments/end-token.ts';
import { READ_TOKEN } from './fragments/read-token.ts';

/**
 * Ends a token whose value came to light, whoever's it is.
 *
 * Outcomes: `found`, with the record, and ended by this call; `unknown`, or over before it.
 */
const script = defineScript({
  name: 'revoke-token-by-hash',
  keys: ['root'],
  args: { tokenHash: 'text' },
  lua: `
${READ_TOKEN}
${END_TOKEN}
local record = findLive(tokenHash)
if not record then return answer('unknown') end
endToken(record[1], tokenHash)
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
