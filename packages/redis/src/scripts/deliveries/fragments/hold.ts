/**
 * `hold(webhook, id, sequence, expiresAtMs)`: a delivery waits until its webhook is enabled. Needs `keyOf`,
 * `keepUntil` and `leave`.
 */
export const HOLD = `
local function hold(webhook, id, sequence, expiresAtMs)
  for _, kind in ipairs({'queued', 'parked', 'retries', 'parkedRetries', 'due', 'inFlight'}) do
    leave(kind, webhook, id)
  end
  redis.call('HSET', keyOf('delivery', webhook .. '/' .. id), 'state', 'held')
  local heldKey = keyOf('held', webhook)
  redis.call('ZADD', heldKey, sequence, id)
  keepUntil(heldKey, tonumber(expiresAtMs))
end
`;
