import { LEASE_SLACK_MS } from '@latchhook/core';

/**
 * `settleActive(webhook)`: puts the time on by which `active` has a webhook, as far as that may go, or takes
 * it out. Needs `keyOf`.
 *
 * What the webhook's hash knew of that time is wrong from here on. It is taken out rather than set: this comes first, so
 * that a full Redis refuses nothing, and whoever is next sets it beside other fields.
 */
export const SETTLE_ACTIVE = `
local function settleActive(webhook)
  redis.call('HDEL', keyOf('webhook', webhook), 'activeMs')
  local earliestMs
  for kind, slackMs in pairs({due = 0, flying = ${LEASE_SLACK_MS}}) do
    local first = redis.call('ZRANGE', keyOf(kind, webhook), 0, 0, 'WITHSCORES')
    if first[2] then earliestMs = math.min(earliestMs or math.huge, first[2] - slackMs) end
  end
  if earliestMs then
    redis.call('ZADD', rootKey .. ':active', earliestMs, webhook)
  else
    redis.call('ZREM', rootKey .. ':active', webhook)
  end
end
`;
