import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `unblockCapped(account, count)`: makes the `count` capped webhooks of an account due that have waited longest, and
 * returns whether any is due. Their score in `due` is when they began to wait, so that the next claim keeps their
 * order.
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
 * `freeInFlight(freed)`: subtracts ended attempts from the attempts in flight; `freed` has the number of ended ones by
 * webhook. Makes webhooks due that waited for an attempt to end, and returns whether any is due.
 */
export const FREE_IN_FLIGHT = defineFragment({
  uses: [KEY_OF, DIGITS, UNBLOCK_CAPPED],
  lua: `
local function freeInFlight(freed)
  local byAccount, accounts, isDue = {}, {}, false
  for webhook, count in pairs(freed) do
    local webhookKey = keyOf('webhook', webhook)
    local inFlight, isCapped = unpack(redis.call('HMGET', webhookKey, 'inFlight', 'isCapped'))
    -- The removal of a webhook has already subtracted its attempts.
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
  local inFlightKey, counts, idle = rootKey .. ':inFlight', {}, {}
  local isCapped = redis.call('SMISMEMBER', rootKey .. ':capped', unpack(accounts))
  for index, count in ipairs(redis.call('HMGET', inFlightKey, unpack(accounts))) do
    local account = accounts[index]
    local remaining = tonumber(count or 0) - byAccount[account]
    if remaining > 0 then
      counts[#counts + 1] = account
      counts[#counts + 1] = digits(remaining)
    else
      idle[#idle + 1] = account
    end
    if isCapped[index] == 1 and unblockCapped(account, byAccount[account]) then isDue = true end
  end
  if #counts > 0 then redis.call('HSET', inFlightKey, unpack(counts)) end
  if #idle > 0 then redis.call('HDEL', inFlightKey, unpack(idle)) end
  return isDue
end
`,
});
