import { defineScript } from '../../define-script.ts';
import { parseFoundToken, TOKEN } from '../../personal-access-token-record.ts';
import type { PersonalAccessTokenMethod } from '../../store-methods.ts';
import { FAIL_ON_REPLICA } from '../fragments/fail-on-replica.ts';
import { END_TOKEN } from './fragments/end-token.ts';
import { READ_TOKEN } from './fragments/read-token.ts';

/**
 * Ends a leaked token by its hash, regardless of its owner.
 *
 * Outcomes: `found`, with the record of the token that this call ended; `unknown`, if there is no live token.
 */
const script = defineScript({
  name: 'revoke-token-by-hash',
  keys: ['root'],
  args: { tokenHash: 'text' },
  uses: [FAIL_ON_REPLICA, END_TOKEN, READ_TOKEN],
  lua: `
failOnReplica('zset', rootKey)
local record = findLiveToken(tokenHash)
if not record then return reply('unknown') end
endToken(record[${TOKEN.at.userId}], tokenHash)
return reply('found', record)
`,
});

export const revokeTokenByHash: PersonalAccessTokenMethod<'revokeByHash'> =
  ({ call, tokenKeys }) =>
  async (tokenHash) =>
    parseFoundToken(await call(script, tokenKeys, { tokenHash }));
