import { defineFragment } from '../../define-fragment.ts';
import { EXTEND_USER_TTL } from './extend-user-ttl.ts';
import { SHORTEN_SESSION_TTL } from './shorten-session-ttl.ts';

/**
 * `endAllSessions(keys, keptId)`: ends every session of a user, and every pending challenge by increasing the session
 * version. `keys` has `user`, `live` and `order`. The caller restores the session `keptId`, if any. The time is stored
 * so that logins in progress are rejected: see `staleLogin`.
 *
 * DEL comes first, so that the script runs even when memory is full: Redis then rejects the first write of a script
 * unless it frees memory, and allows all writes after that.
 *
 * Outer values: `now`.
 */
export const END_ALL_SESSIONS = defineFragment({
  uses: [SHORTEN_SESSION_TTL, EXTEND_USER_TTL],
  lua: `
local function endAllSessions(keys, keptId)
  local sessionIds = redis.call('ZRANGE', keys.live, 0, -1)
  redis.call('DEL', keys.live, keys.order)
  redis.call('HINCRBY', keys.user, 'sessionVersion', 1)
  -- The later time is kept if the clock was set back.
  local formerMs = tonumber(redis.call('HGET', keys.user, 'revokedAllAtMs') or '') or 0
  redis.call('HSET', keys.user, 'revokedAllAtMs', math.max(now, formerMs))
  extendUserTtl(keys.user)
  for _, sessionId in ipairs(sessionIds) do
    if sessionId ~= keptId then shortenSessionTtl(keys.live, sessionId) end
  end
end
`,
});
