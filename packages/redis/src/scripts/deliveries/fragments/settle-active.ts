import { LEASE_SLACK_MS } from '@latchhook/core';

/**
 * `settleActive(webhook, lateMs)`: puts the time on by which `active` has a webhook, as far as that may go, or takes
 * it out. Needs `keyOf`.
 *
 * An attempt is late from some time before its lease ends, and may not be told before that: where its time is up to
 * `lateMs` by now, it is put behind it, or whoever looks for what is late would find the same webhooks first each time.
 *
 * What the webhook's hash knew of that time is wrong from here on. It is taken out rather than set: this comes first, so
 * that a full Redis refuses nothing, and whoever is next sets it beside other fields.
 */
export const SETTLE_ACTIVE = `
local function settleActive(webhook, lateMs)
  redis.call('HDEL', keyOf('webhook', webhook), 'activeMs')
  local due = redis.call('ZRANGE', keyOf('due', webhook), 0, 0, 'WITHSCORES')[2]
  local leaseEnds = redis.call('ZRANGE', keyOf('flying', webhook), 0, 0, 'WITHSCORES')[2]
  local earliestMs = due and tonumber(due)
  if leaseEnds then
    local isOver = tonumber(leaseEnds) <= now
    local atMs = math.max(leaseEnds - ${LEASE_SLACK_MS}, isOver and 0 or lateMs + 1)
    earliestMs = math.min(earliestMs or atMs, atMs)
  end
  if earliestMs then
    redis.call('ZADD', rootKey .. ':active', earliestMs, webhook)
  else
    redis.call('ZREM', rootKey .. ':active', webhook)
  end
end
`;
