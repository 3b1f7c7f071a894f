/**
 * The rate of a webhook, by the times of its last starts. Needs `keyOf`.
 *
 * - `rateOf(webhook, limit, period, marginMs)`: what the others take.
 * - `startAt(rate, nth)`: the time of the nth newest start, from 0; `nil` where there were fewer.
 * - `mayStart(rate, rank)`: whether a start is free for the one that has `rank` others before it. One
 *   command: it is, unless the `limit - rank`-th newest start is still in the window.
 *
 * The list is cut to the limit now and then where one starts. At that moment fewer than the limit are in the window,
 * so nothing is lost that counts, even if the limit is raised again.
 */
export const RATE = `
local PERIODS = {second = 1000, minute = 60000}

local function rateOf(webhook, limit, period, marginMs)
  local windowMs = PERIODS[period] + marginMs
  return {startsKey = keyOf('starts', webhook), limit = tonumber(limit), windowMs = windowMs,
    gapMs = windowMs / limit}
end

local function startAt(rate, nth) return tonumber(redis.call('LINDEX', rate.startsKey, nth) or nil) end

local function mayStart(rate, rank)
  if rank >= rate.limit then return false end
  local startMs = startAt(rate, rate.limit - 1 - rank)
  return not startMs or now - startMs >= rate.windowMs
end
`;
