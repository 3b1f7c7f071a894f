import { DEAD_MEMBER } from './dead-member.ts';

/**
 * `markDead(webhook, id, reason)`: marks a delivery as dead that waits nowhere and is not under way any more. Needs
 * `keyOf` and `keepUntil`.
 *
 * The caller has taken it out of where it was: after a removal a full Redis refuses nothing.
 */
export const MARK_DEAD = `
${DEAD_MEMBER}
local function markDead(webhook, id, reason)
  local deliveryKey = keyOf('delivery', webhook .. '/' .. id)
  local found = redis.call('HMGET', deliveryKey, 'createdAtMs', 'sequence', 'expiresAtMs')
  redis.call('HSET', deliveryKey, 'state', 'dead', 'deadReason', reason)
  local deadKey = keyOf('dead', webhook)
  redis.call('ZADD', deadKey, found[1], deadMember(found[2], id))
  keepUntil(deadKey, tonumber(found[3]))
end
`;
