import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `freeInFlight(freed, maxPerAccount)`: attempts ended, so many of each webhook. Webhooks that waited for one of these
 * to end are due.
 *
 * Of an account that had as many in flight as it may, as many webhooks are due as attempts have ended: those that
 * waited longest.
 */
export const FREE_IN_FLIGHT = defineFragment({
  uses: [KEY_OF, DIGITS],
  lua: `
local function freeInFlight(freed, maxPerAccount)
  local byAccount, accounts = {}, {}
  for webhook, count in pairs(freed) do
    local account = webhook:match('^(.*)/')
    if not byAccount[account] then accounts[#accounts + 1] = account end
    byAccount[account] = (byAccount[account] or 0) + count
  end
  local inFlightKey, due = rootKey .. ':inFlight', {}
  local counts, left, gone = redis.call('HMGET', inFlightKey, unpack(accounts)), {}, {}
  for place, account in ipairs(accounts) do
    local before = tonumber(counts[place] or 0)
    local after = before - byAccount[account]
    if after > 0 then
      left[#left + 1] = account
      left[#left + 1] = digits(after)
    else
      gone[#gone + 1] = account
    end
    if before >= maxPerAccount then
      local waiting = redis.call('ZPOPMIN', keyOf('capped', account), byAccount[account])
      for at = 1, #waiting, 2 do due[#due + 1] = waiting[at] end
    end
  end
  if #left > 0 then redis.call('HSET', inFlightKey, unpack(left)) end
  if #gone > 0 then redis.call('HDEL', inFlightKey, unpack(gone)) end
  for webhook, count in pairs(freed) do
    local webhookKey = keyOf('webhook', webhook)
    local inFlight, isCapped = unpack(redis.call('HMGET', webhookKey, 'inFlight', 'isCapped'))
    if inFlight then
      redis.call('HSET', webhookKey, 'inFlight', digits(math.max(0, inFlight - count)))
      if isCapped then
        redis.call('HDEL', webhookKey, 'isCapped')
        due[#due + 1] = webhook
      end
    end
  end
  for _, webhook in ipairs(due) do redis.call('ZADD', rootKey .. ':due', 'LT', 'XX', digits(now), webhook) end
  return #due > 0
end
`,
});
