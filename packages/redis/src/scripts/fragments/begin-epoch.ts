import { defineFragment } from '../../define-fragment.ts';
import { KEEP_TOMBSTONE } from './keep-tombstone.ts';
import { KEEP_USER } from './keep-user.ts';

/**
 * `beginEpoch(keys, sparedId)`: ends every session of a user, and by a new epoch every pending challenge. The caller
 * puts the session `sparedId` back. The time is kept for logins that are pending: see `overtaken`.
 *
 * DEL comes first: when memory is full, Redis refuses a script's first write, but never a DEL, and lets a script that
 * has written go on. So this works on a full Redis too.
 */
export const BEGIN_EPOCH = defineFragment({
  uses: [KEEP_TOMBSTONE, KEEP_USER],
  lua: `
local function beginEpoch(keys, sparedId)
  local ended = redis.call('ZRANGE', keys.live, 0, -1)
  redis.call('DEL', keys.live, keys.order)
  redis.call('HINCRBY', keys.user, 'epoch', 1)
  -- The latest of all stays, though the clock was set back since.
  local formerMs = tonumber(redis.call('HGET', keys.user, 'revokedAllAtMs') or '') or 0
  redis.call('HSET', keys.user, 'revokedAllAtMs', math.max(now, formerMs))
  keepUser(keys.user)
  for _, sessionId in ipairs(ended) do
    if sessionId ~= sparedId then keepTombstone(keys.live, sessionId) end
  end
end
`,
});
