/**
 * `liveTokens(userId, from)`: what lives of a user's tokens, in the order of creation, from a lower bound of
 * the sequence; each `{hash, record}`. Needs `readToken`.
 *
 * What has expired leaves the index on the way: nothing else does that, since a key expires without a word.
 * The index is as long as the cap that `create` is given, so all of it can be walked.
 */
export const LIVE_TOKENS = `
local function liveTokens(userId, from)
  local tokens = {}
  for _, tokenHash in ipairs(redis.call('ZRANGEBYSCORE', liveKey(userId), from, '+inf')) do
    local record = readToken(tokenHash)
    if record and now < tonumber(record[6]) then
      tokens[#tokens + 1] = {hash = tokenHash, record = record}
    else
      redis.call('ZREM', liveKey(userId), tokenHash)
    end
  end
  return tokens
end
`;
