import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `unblockCapped(account, count)`: makes as many webhooks of an account due as it has free permits, the longest-waiting
 * first, and returns whether any is. Their score in `due` is the time since which they wait, so that the next claim
 * keeps their order.
 */
export const UNBLOCK_CAPPED = defineFragment({
  uses: [KEY_OF],
  rareFunction: 'unblockCapped(account, count)',
  body: `
  local isDue = false
  while count > 0 do
    local webhook, sinceMs = unpack(redis.call('ZPOPMIN', keyOf('capped', account)))
    if not webhook then
      redis.call('SREM', rootKey .. ':capped', account)
      break
    end
    if redis.call('ZSCORE', rootKey .. ':due', webhook) then
      redis.call('ZADD', rootKey .. ':due', 'LT', sinceMs, webhook)
      count, isDue = count - 1, true
    end
  end
  return isDue
`,
});

/**
 * `freeInFlight(freed)`: subtracts ended attempts, counted by webhook, from those in flight. Makes the webhooks due
 * that waited for one of these to end, and returns whether any is.
 */
export const FREE_IN_FLIGHT = defineFragment({
  uses: [KEY_OF, DIGITS, UNBLOCK_CAPPED],
  lua: `
local function freeInFlight(freed)
  local byAccount, accounts, isDue = {}, {}, false
  for webhook, count in pairs(freed) do
    local webhookKey = keyOf('webhook', webhook)
    local inFlight, isCapped = unpack(redis.call('HMGET', webhookKey, 'inFlight', 'isCapped'))
    -- The attempts of a removed webhook were subtracted when it was removed.
    if inFlight then
      local account = webhook:match('^([^/]*)/')
      if not byAccount[account] then accounts[#accounts + 1] = account end
      byAccount[account] = (byAccount[account] or 0) + count
      redis.call('HSET', webhookKey, 'inFlight', digits(math.max(0, inFlight - count)))
      if isCapped then
        redis.call('HDEL', webhookKey, 'isCapped')
        redis.call('ZADD', rootKey .. ':due', 'LT', 'XX', digits(now), webhook)
        isDue = true
      end
    end
  end
  if #accounts == 0 then return isDue end
  local inFlightKey, left, gone = rootKey .. ':inFlight', {}, {}
  local isCapped = redis.call('SMISMEMBER', rootKey .. ':capped', unpack(accounts))
  for index, count in ipairs(redis.call('HMGET', inFlightKey, unpack(accounts))) do
    local account = accounts[index]
    local after = tonumber(count or 0) - byAccount[account]
    if after > 0 then
      left[#left + 1] = account
      left[#left + 1] = digits(after)
    else
      gone[#gone + 1] = account
    end
    if isCapped[index] == 1 then isDue = unblockCapped(account, byAccount[account]) or isDue end
  end
  if #left > 0 then redis.call('HSET', inFlightKey, unpack(left)) end
  if #gone > 0 then redis.call('HDEL', inFlightKey, unpack(gone)) end
  return isDue
end
`,
});
