/**
 * `retrySlot(rate, webhookKey, cursorMs, earliestMs)`: when a retry may ask again that may not start now.
 * Answers that time and the new cursor. Needs `rate`.
 *
 * Retries have no order, but they must not all come at once either: of thousands that were told the same
 * time, all but a few would have come in vain, and again and again. So a cursor moves on by the gap between
 * two starts each time that one is told when to come.
 */
export const RETRY_SLOT = `
local function retrySlot(rate, webhookKey, cursorMs, earliestMs)
  local slotMs = math.max(earliestMs, (cursorMs or 0) + rate.gapMs)
  redis.call('HSET', webhookKey, 'retrySlotMs', slotMs)
  return math.ceil(slotMs), slotMs
end
`;
