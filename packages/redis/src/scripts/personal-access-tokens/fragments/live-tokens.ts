import { defineFragment } from '../../../define-fragment.ts';
import { TOKEN } from '../../../personal-access-token-record.ts';
import { READ_TOKEN } from './read-token.ts';

/**
 * `liveTokens(userId, from)`: a user's live tokens in the order of creation, each as `{hash, record}`. `from` is the
 * lower bound of the sequence, as ZRANGEBYSCORE accepts it.
 *
 * It also removes expired tokens from the index because nothing else does: a key expires without an event. The limit of
 * `create` bounds the index, so all of it can be read. It removes with `pcall`, as a list must not fail if Redis
 * rejects writes, for example because replicas are missing.
 *
 * Outer values: `now`.
 */
export const LIVE_TOKENS = defineFragment({
  uses: [READ_TOKEN],
  lua: `
local function liveTokens(userId, from)
  local tokens = {}
  for _, tokenHash in ipairs(redis.call('ZRANGEBYSCORE', liveKey(userId), from, '+inf')) do
    local record = readToken(tokenHash)
    if record and now < tonumber(record[${TOKEN.at.expiresAtMs}]) then
      tokens[#tokens + 1] = {hash = tokenHash, record = record}
    else
      redis.pcall('ZREM', liveKey(userId), tokenHash)
    end
  end
  return tokens
end
`,
});
