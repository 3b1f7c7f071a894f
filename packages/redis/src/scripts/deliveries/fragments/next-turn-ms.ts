import { defineFragment } from '../../../define-fragment.ts';
import { RATE } from './rate.ts';

/**
 * `nextTurnMs(rate, rank)`: when one that may not start now is scheduled for.
 *
 * These times are spread evenly from when the first start leaves the window, so that a backlog neither bursts at the
 * end of each window nor asks in vain; but it is never before the ring lets the rank in: those that may start now
 * count as started. The list is in the order of time, so a binary search finds how many are in the window: 15
 * commands for the highest limit there is, whatever the backlog.
 *
 * While the webhook pauses, they are spread from its end on as well, or all that came meanwhile would ask at once.
 */
export const NEXT_TURN_MS = defineFragment({
  uses: [RATE],
  rareFunction: 'nextTurnMs(rate, rank)',
  body: `
  local function startsInWindow()
    if rate.count then return rate.count end
    settleStarts(rate)
    local low, high = 0, redis.call('LLEN', rate.startsKey)
    while low < high do
      local middle = math.floor((low + high) / 2)
      if now - startAt(rate, middle) < rate.windowMs then low = middle + 1 else high = middle end
    end
    rate.count = low
    return low
  end

  local pausedMs = 0
  if now < rate.pauseEndsMs then
    pausedMs = math.ceil(rate.pauseEndsMs + rank * rate.windowMs / rate.limit)
  end
  if hasStart(rate, rank) then return pausedMs end
  local count = startsInWindow()
  local surplus = math.max(0, count - rate.limit)
  local behind = rank - math.max(0, rate.limit - count)
  local function leavesMs(nth)
    return (nth < count and startAt(rate, count - 1 - nth) or now) + rate.windowMs
  end
  local last = math.max(count, rate.limit) - 1
  local place = surplus + behind
  local spreadMs = leavesMs(surplus) + behind * rate.gapMs
  local allowedMs = leavesMs(math.min(place, last)) + math.max(0, place - last) * rate.gapMs
  return math.max(math.ceil(math.max(spreadMs, allowedMs)), pausedMs)
`,
});
