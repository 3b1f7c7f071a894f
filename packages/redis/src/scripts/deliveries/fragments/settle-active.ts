import { LEASE_SLACK_MS } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `settleActive(webhook, lateMs)`: moves the time by which `active` has a webhook forward as far as it may go, or takes
 * the webhook out.
 *
 * An attempt counts as late from `LEASE_SLACK_MS` before its lease ends, but is not returned before the end. Until then
 * its webhook is put behind `lateMs`, or every look for what is late would begin with the same webhooks.
 *
 * The `activeMs` of the webhook's hash is wrong from here on. It is deleted rather than set: a removal comes first, so
 * that a full Redis refuses nothing, and the next transition sets it beside other fields.
 */
export const SETTLE_ACTIVE = defineFragment({
  uses: [KEY_OF],
  lua: `
local function settleActive(webhook, lateMs)
  redis.call('HDEL', keyOf('webhook', webhook), 'activeMs')
  local due = redis.call('ZRANGE', keyOf('due', webhook), 0, 0, 'WITHSCORES')[2]
  local leaseEnds = redis.call('ZRANGE', keyOf('inFlight', webhook), 0, 0, 'WITHSCORES')[2]
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
`,
});
