import { defineScript } from '../../define-script.ts';
import { parseFoundToken, TOKEN } from '../../personal-access-token-record.ts';
import type { PersonalAccessTokenMethod } from '../../store-methods.ts';
import { FAIL_ON_REPLICA } from '../fragments/fail-on-replica.ts';
import { READ_TOKEN } from './fragments/read-token.ts';

const { at } = TOKEN;

/**
 * Finds a live token, and records its use unless one was recorded less than `touchEveryMs` ago.
 *
 * Outcomes: `found`, with the record; `unknown`.
 *
 * The script runs at every request with a token, so it limits its writes. It writes with `pcall`: Redis may reject the
 * write, for example when memory is full or replicas are missing, which is no reason to reject the token. A replica
 * rejects the token, as it may not know its revocation.
 */
const script = defineScript({
  name: 'use-token',
  keys: ['root'],
  args: { tokenHash: 'text', touchEveryMs: 'number' },
  uses: [FAIL_ON_REPLICA, READ_TOKEN],
  lua: `
local record = findLiveToken(tokenHash)
if not record then
  failOnReplica('zset', rootKey)
  return reply('unknown')
end
local lastUsedAtMs = tonumber(record[${at.lastUsedAtMs}])
if not lastUsedAtMs or now - lastUsedAtMs >= touchEveryMs then
  local result = redis.pcall('HSET', tokenKey(tokenHash), 'lastUsedAtMs', now)
  if type(result) == 'number' then record[${at.lastUsedAtMs}] = now
  elseif result.err:find('READONLY', 1, true) then return result end
else
  failOnReplica('zset', rootKey)
end
return reply('found', record)
`,
});

export const useToken: PersonalAccessTokenMethod<'use'> =
  ({ call, tokenKeys }) =>
  async (tokenHash, { touchEveryMs }) =>
    parseFoundToken(await call(script, tokenKeys, { tokenHash, touchEveryMs }));
