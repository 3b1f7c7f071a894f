import { ENTOMB } from './entomb.ts';
import { KEEP_USER } from './keep-user.ts';

/**
 * `beginEpoch(keys, sparedId)`: ends every session of a user, and every pending challenge by a new epoch. The one
 * that is named is left to the caller, who puts it back. The time of it is kept for the logins that are under
 * way: see `overtaken`.
 *
 * DEL comes first: Redis refuses a script its first write when memory is full, but never a DEL, and lets
 * what has begun end. So this works on a full Redis too.
 */
export const BEGIN_EPOCH = `
${KEEP_USER}
${ENTOMB}
local function beginEpoch(keys, sparedId)
  local ended = redis.call('ZRANGE', keys.live, 0, -1)
  redis.call('DEL', keys.live, keys.order)
  redis.call('HINCRBY', keys.user, 'epoch', 1)
  redis.call('HSET', keys.user, 'revokedAllAtMs', now)
  keepUser(keys.user)
  for _, sessionId in ipairs(ended) do
    if sessionId ~= sparedId then entomb(keys.live, sessionId) end
  end
end
`;
