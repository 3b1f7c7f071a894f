import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `unblockCapped(account, count)`: makes up to `count` capped webhooks of an account due, longest waiting first, and
 * returns whether there was any. Their scores in `due` are when they began to wait, so that the next claim keeps their
 * order. Webhooks that are no longer in `due`, such as disabled ones, are skipped.
 *
 * Outer values: `rootKey`.
 */
export const UNBLOCK_CAPPED = defineFragment({
  uses: [KEY_OF],
  lazyFunction: 'unblockCapped(account, count)',
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
 * Subtracts ended attempts from the attempts in flight, and makes webhooks due that waited for an attempt to end:
 *
 * - `freeInFlightOf(webhook, inFlight, isCapped, count, changes)`: for a webhook with these fields, of which `count`
 *   attempts have ended; adds to the `changes` of its hash, and returns whether it is due.
 * - `freeInFlightOfAccounts(freed)`: for the accounts of webhooks; `freed` has the number of ended attempts by account.
 *   Returns whether any webhook is due.
 *
 * Outer values: `nowText`, `rootKey`.
 */
export const FREE_IN_FLIGHT = defineFragment({
  uses: [KEY_OF, DIGITS, CHANGES, UNBLOCK_CAPPED],
  lua: `
local function freeInFlightOf(webhook, inFlight, isCapped, count, changes)
  change(changes, 'inFlight', digits(math.max(0, inFlight - count)))
  if not isCapped then return false end
  redis.call('HDEL', keyOf('webhook', webhook), 'isCapped')
  redis.call('ZADD', rootKey .. ':due', 'LT', 'XX', nowText, webhook)
  return true
end

local function freeInFlightOfAccounts(freed)
  local accounts, isDue = {}, false
  for account in pairs(freed) do accounts[#accounts + 1] = account end
  if #accounts == 0 then return false end
  local inFlightKey, counts, idle = rootKey .. ':inFlight', {}, {}
  local isCapped = redis.call('SMISMEMBER', rootKey .. ':capped', unpack(accounts))
  for index, count in ipairs(redis.call('HMGET', inFlightKey, unpack(accounts))) do
    local account = accounts[index]
    local remaining = tonumber(count or 0) - freed[account]
    if remaining > 0 then
      counts[#counts + 1] = account
      counts[#counts + 1] = digits(remaining)
    else
      idle[#idle + 1] = account
    end
    if isCapped[index] == 1 and unblockCapped(account, freed[account]) then isDue = true end
  end
  if #counts > 0 then redis.call('HSET', inFlightKey, unpack(counts)) end
  if #idle > 0 then redis.call('HDEL', inFlightKey, unpack(idle)) end
  return isDue
end
`,
});
