/**
 * The two lines of a webhook that wait for rate or room: `queued` are first tries in the order of publishing,
 * `retries` all others in the order in which they were first told to wait. Those of each that sleep until there is
 * room are in its crowd as well. Needs `keyOf`.
 *
 * - `LINES`, by whether a line is that of first tries.
 * - `inTurns(place, others, isFirst, wasRetryLast)`: how many are before the one at this place of its line, if the
 *   lines take turns and the other one has so many. `wasRetryLast` is false where a first try started last.
 * - `rankOf(webhook, id, isFirst, wasRetryLast)`: the same, for a delivery that is in its line, or to join it.
 * - `leaveLine(webhook, id, isFirst)`.
 */
export const LINES = `
local LINES = {[true] = {'queued', 'crowd', 'retries'}, [false] = {'retries', 'retryCrowd', 'queued'}}

local function inTurns(place, others, isFirst, wasRetryLast)
  return place + math.min(others, place + (isFirst == wasRetryLast and 0 or 1))
end

local function rankOf(webhook, id, isFirst, wasRetryLast)
  local line, _, other = unpack(LINES[isFirst])
  local place = redis.call('ZRANK', keyOf(line, webhook), id) or redis.call('ZCARD', keyOf(line, webhook))
  return inTurns(place, redis.call('ZCARD', keyOf(other, webhook)), isFirst, wasRetryLast)
end

local function leaveLine(webhook, id, isFirst)
  local line, crowd = unpack(LINES[isFirst])
  redis.call('ZREM', keyOf(line, webhook), id)
  redis.call('ZREM', keyOf(crowd, webhook), id)
end
`;
