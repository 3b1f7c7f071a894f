/**
 * `nextInLine(webhook, rate, wasRetryLast, maxInFlight)`: id, run and delay of the first that sleeps until there is
 * room, where there is; else `'', 0, 0`. It is awake from here on: whoever is told takes it, and if they die it is due,
 * and found late. Needs `keyOf`, `mayStart`, `toldMs`, `schedule`, `forget` and `LINES`.
 */
export const NEXT_IN_LINE = `
local function firstAsleep(webhook, wasRetryLast)
  local first = {}
  for _, isFirst in ipairs({true, false}) do
    local id = redis.call('ZRANGE', keyOf(LINES[isFirst][2], webhook), 0, 0)[1]
    local rank = id and rankOf(webhook, id, isFirst, wasRetryLast)
    if id and (not first.id or rank < first.rank) then
      first = {id = id, rank = rank, crowd = LINES[isFirst][2]}
    end
  end
  return first
end

local function nextInLine(webhook, rate, wasRetryLast, maxInFlight)
  -- Mostly nobody sleeps, and then this is all that it costs.
  if redis.call('EXISTS', keyOf('crowd', webhook), keyOf('retryCrowd', webhook)) == 0 then return '', 0, 0 end
  local first = firstAsleep(webhook, wasRetryLast)
  if not first.id then return '', 0, 0 end
  local inFlight = redis.call('ZCOUNT', keyOf('flying', webhook), '(' .. now, '+inf')
  -- Those before it are awake, and take the room first.
  if inFlight + first.rank >= maxInFlight then return '', 0, 0 end
  local found = redis.call('HMGET', keyOf('delivery', webhook .. '/' .. first.id), 'run', 'expiresAtMs')
  if not found[1] or now >= tonumber(found[2]) then
    forget(webhook, first.id)
    return '', 0, 0
  end
  redis.call('ZREM', keyOf(first.crowd, webhook), first.id)
  local atMs = mayStart(rate, first.rank) and now or toldMs(rate, first.rank)
  schedule(webhook, first.id, atMs)
  return first.id, found[1], atMs - now
end
`;
