/**
 * `joinRetries(webhook, id)`: gives what is no first try a place behind those that wait already, unless it has
 * one. Needs `keyOf` and `enter`.
 */
export const JOIN_RETRIES = `
local function joinRetries(webhook, id)
  if redis.call('ZSCORE', keyOf('retries', webhook), id) then return end
  enter('retries', webhook, id, redis.call('HINCRBY', keyOf('webhook', webhook), 'retryPlace', 1))
end
`;
