/**
 * `joinRetries(webhook, id)`: gives what is no first try a place behind those that wait already, unless it has
 * one. Needs `keyOf`.
 */
export const JOIN_RETRIES = `
local function joinRetries(webhook, id)
  local retriesKey = keyOf('retries', webhook)
  if redis.call('ZSCORE', retriesKey, id) then return end
  redis.call('ZADD', retriesKey, redis.call('HINCRBY', keyOf('webhook', webhook), 'retryPlace', 1), id)
end
`;
