import { defineFragment } from '../../../define-fragment.ts';
import { TOKEN } from '../../../personal-access-token-record.ts';

const { at } = TOKEN;

/**
 * - `tokenKey(tokenHash)` and `liveKey(userId)`: keys of the table at `PersonalAccessTokenKeys`.
 * - `readToken(tokenHash)`: the record `TOKEN` of a token, live or ended, or `nil`.
 * - `findLiveToken(tokenHash)`: the same for a live token, which is in `live` of its user and has not expired; else
 *   `nil`.
 *
 * Outer values: `now`, `rootKey`.
 */
export const READ_TOKEN = defineFragment({
  lua: `
local function tokenKey(tokenHash) return rootKey .. ':token:' .. tokenHash end
local function liveKey(userId) return rootKey .. ':live:' .. userId end

local function readToken(tokenHash)
  local record = redis.call('HMGET', tokenKey(tokenHash), ${TOKEN.stored})
  if record[${at.userId}] then return record end
end

local function findLiveToken(tokenHash)
  local record = readToken(tokenHash)
  if not record or now >= tonumber(record[${at.expiresAtMs}]) then return nil end
  if redis.call('ZSCORE', liveKey(record[${at.userId}]), tokenHash) then return record end
end
`,
});
