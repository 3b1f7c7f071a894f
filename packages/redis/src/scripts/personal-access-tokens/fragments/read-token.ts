import { defineFragment } from '../../../define-fragment.ts';

/**
 * `readToken(tokenHash)`: the record as `parseTokenRecord` reads it, of a token that lives or did, or `nil`.
 *
 * `findLive(tokenHash)`: the same, but only for a live token: it is in `live` of its user, and has not expired.
 *
 * Both need the key `root`.
 */
export const READ_TOKEN = defineFragment({
  lua: `
local function tokenKey(tokenHash) return rootKey .. ':token:' .. tokenHash end
local function liveKey(userId) return rootKey .. ':live:' .. userId end

local function readToken(tokenHash)
  local record = redis.call('HMGET', tokenKey(tokenHash),
    'userId', 'tokenId', 'grant', 'sequence', 'createdAtMs', 'expiresAtMs', 'lastUsedAtMs')
  if not record[1] then return nil end
  record[7] = record[7] or ''
  return record
end

local function findLive(tokenHash)
  local record = readToken(tokenHash)
  if not record or now >= tonumber(record[6]) then return nil end
  if redis.call('ZSCORE', liveKey(record[1]), tokenHash) then return record end
end
`,
});
