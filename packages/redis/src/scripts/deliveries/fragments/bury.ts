/**
 * `bury(webhook, id, reason)`: a delivery that is not under way any more is dead. Needs `keyOf`, `keepUntil`
 * and `deadMember`.
 *
 * The ZREMs come first: they are not refused for want of memory, and after them nothing is.
 */
export const BURY = `
local function bury(webhook, id, reason)
  for _, kind in ipairs({'queued', 'crowd', 'held', 'due', 'flying'}) do
    redis.call('ZREM', keyOf(kind, webhook), id)
  end
  local deliveryKey = keyOf('delivery', webhook .. '/' .. id)
  local found = redis.call('HMGET', deliveryKey, 'createdAtMs', 'sequence', 'expiresAtMs')
  redis.call('HSET', deliveryKey, 'state', 'dead', 'deadReason', reason)
  local deadKey = keyOf('dead', webhook)
  redis.call('ZADD', deadKey, found[1], deadMember(found[2], id))
  keepUntil(deadKey, tonumber(found[3]))
end
`;
