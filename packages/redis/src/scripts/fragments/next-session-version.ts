import { defineFragment } from '../../define-fragment.ts';
import { KEEP_TOMBSTONE } from './keep-tombstone.ts';
import { KEEP_USER } from './keep-user.ts';

/**
 * `nextSessionVersion(keys, keptId)`: ends every session of a user, and every pending challenge by a new session
 * version. The caller restores the session `keptId`. The time is stored so that pending logins are rejected: see
 * `staleLogin`.
 *
 * DEL comes first, so that this works when memory is full: Redis then rejects the first write of a script unless it
 * frees memory, and allows all further writes.
 */
export const NEXT_SESSION_VERSION = defineFragment({
  uses: [KEEP_TOMBSTONE, KEEP_USER],
  lua: `
local function nextSessionVersion(keys, keptId)
  local ended = redis.call('ZRANGE', keys.live, 0, -1)
  redis.call('DEL', keys.live, keys.order)
  redis.call('HINCRBY', keys.user, 'sessionVersion', 1)
  -- The latest time is kept, even if the clock was set back since.
  local formerMs = tonumber(redis.call('HGET', keys.user, 'revokedAllAtMs') or '') or 0
  redis.call('HSET', keys.user, 'revokedAllAtMs', math.max(now, formerMs))
  keepUser(keys.user)
  for _, sessionId in ipairs(ended) do
    if sessionId ~= keptId then keepTombstone(keys.live, sessionId) end
  end
end
`,
});
