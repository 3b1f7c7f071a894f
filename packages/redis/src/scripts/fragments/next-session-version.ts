import { defineFragment } from '../../define-fragment.ts';
import { KEEP_TOMBSTONE } from './keep-tombstone.ts';
import { KEEP_USER } from './keep-user.ts';

/**
 * `nextSessionVersion(keys, keptId)`: ends every session of a user, and by a new session version every pending
 * challenge. The caller puts the session `keptId` back. The time is kept for logins that are pending: see `staleLogin`.
 *
 * DEL comes first: when memory is full, Redis rejects a script's first write, but never a DEL, and lets a script that
 * has written go on. So this works on a full Redis too.
 */
export const NEXT_SESSION_VERSION = defineFragment({
  uses: [KEEP_TOMBSTONE, KEEP_USER],
  lua: `
local function nextSessionVersion(keys, keptId)
  local ended = redis.call('ZRANGE', keys.live, 0, -1)
  redis.call('DEL', keys.live, keys.order)
  redis.call('HINCRBY', keys.user, 'sessionVersion', 1)
  -- The latest of all stays, though the clock was set back since.
  local formerMs = tonumber(redis.call('HGET', keys.user, 'revokedAllAtMs') or '') or 0
  redis.call('HSET', keys.user, 'revokedAllAtMs', math.max(now, formerMs))
  keepUser(keys.user)
  for _, sessionId in ipairs(ended) do
    if sessionId ~= keptId then keepTombstone(keys.live, sessionId) end
  end
end
`,
});
