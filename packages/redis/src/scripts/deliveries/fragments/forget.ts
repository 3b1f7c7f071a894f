/** Heads of one list that a call looks at, at most: however much is forgotten, no call takes long. */
const MAX_FORGOTTEN = 100;

/**
 * What was published so long ago that nothing of it may be found. Its hash says when; `dropForgotten` and
 * `forgetOldest` take it out of the sets. Need `keyOf`.
 *
 * - `isKnown(webhook, id)`.
 * - `forget(webhook, id)`: takes a delivery out of everything.
 * - `dropForgotten(webhook, kind)`: forgets from the front of a line, until one is known.
 */
export const FORGET = `
local function isKnown(webhook, id)
  local expiresAtMs = redis.call('HGET', keyOf('delivery', webhook .. '/' .. id), 'expiresAtMs')
  return expiresAtMs and now < tonumber(expiresAtMs)
end

local function deadMember(sequence, id) return string.format('%016d', sequence) .. id end

local function forget(webhook, id)
  local sequence = redis.call('ZSCORE', keyOf('log', webhook), id)
  if sequence then redis.call('ZREM', keyOf('dead', webhook), deadMember(sequence, id)) end
  for _, kind in ipairs({'queued', 'crowd', 'retries', 'retryCrowd', 'held', 'due', 'flying', 'log'}) do
    redis.call('ZREM', keyOf(kind, webhook), id)
  end
  redis.call('UNLINK', keyOf('delivery', webhook .. '/' .. id))
end

local function dropForgotten(webhook, kind)
  for _ = 1, ${MAX_FORGOTTEN} do
    local id = redis.call('ZRANGE', keyOf(kind, webhook), 0, 0)[1]
    if not id or isKnown(webhook, id) then return end
    forget(webhook, id)
  end
end
`;
