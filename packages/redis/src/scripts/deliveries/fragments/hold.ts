/**
 * `hold(webhook, id, sequence, expiresAtMs)`: a delivery waits until its webhook is enabled. Needs `keyOf`
 * and `keepUntil`.
 */
export const HOLD = `
local function hold(webhook, id, sequence, expiresAtMs)
  for _, kind in ipairs({'queued', 'crowd', 'retries', 'retryCrowd', 'due', 'flying'}) do
    redis.call('ZREM', keyOf(kind, webhook), id)
  end
  redis.call('HSET', keyOf('delivery', webhook .. '/' .. id), 'state', 'held')
  local heldKey = keyOf('held', webhook)
  redis.call('ZADD', heldKey, sequence, id)
  keepUntil(heldKey, tonumber(expiresAtMs))
end
`;
