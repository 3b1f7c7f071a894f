import { RATE_LIMIT_PERIOD_MS } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';
import { ACCOUNT_OF } from '../../webhooks/fragments/account-of.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * - `readAccounts(webhooks)`: a list with the account of each webhook, and a table with the same accounts by id. An
 *   account has `id`, `inFlight`, the number of its attempts in flight, `isCapped`, whether webhooks wait for one of
 *   these to end, and `isChanged`, whether the claim has changed `inFlight`.
 * - `readQueue(webhook, account)`: the fields of a webhook that a claim uses. If the webhook was waiting for an attempt
 *   of its account to end, it is removed from `capped`, and `waitingSinceMs` is when it began to wait.
 *
 * Outer values: `rootKey`.
 */
export const READ_QUEUE = defineFragment({
  uses: [KEY_OF, ACCOUNT_OF],
  lua: `
local PERIOD_MS = {second = ${RATE_LIMIT_PERIOD_MS.second}, minute = ${RATE_LIMIT_PERIOD_MS.minute}}

local function readAccounts(webhooks)
  local ids, accounts, byId = {}, {}, {}
  for index, webhook in ipairs(webhooks) do ids[index] = accountOf(webhook) end
  local counts = redis.call('HMGET', rootKey .. ':inFlight', unpack(ids))
  local isCapped = redis.call('SMISMEMBER', rootKey .. ':capped', unpack(ids))
  for index, id in ipairs(ids) do
    byId[id] = byId[id] or {id = id, inFlight = tonumber(counts[index] or 0), isCapped = isCapped[index] == 1,
      isChanged = false}
    accounts[index] = byId[id]
  end
  return accounts, byId
end

local function readQueue(webhook, account)
  local waitingSinceMs = nil
  if account.isCapped then
    waitingSinceMs = redis.call('ZSCORE', keyOf('capped', account.id), webhook)
    redis.call('ZREM', keyOf('capped', account.id), webhook)
  end
  local url, secrets, rateLimit, rateLimitPeriod, disabledAtMs, backoffUntilMs, cursor, logUntilMs, inFlight, windowCount,
    wasRetryLast = unpack(redis.call('HMGET', keyOf('webhook', webhook), 'url', 'secrets', 'rateLimit',
      'rateLimitPeriod', 'disabledAtMs', 'backoffUntilMs', 'cursor', 'logUntilMs', 'inFlight', 'windowCount',
      'wasRetryLast'))
  return {name = webhook, account = account, waitingSinceMs = waitingSinceMs, isEnabled = url and not disabledAtMs,
    url = url, secrets = secrets, rateLimit = tonumber(rateLimit), periodMs = PERIOD_MS[rateLimitPeriod],
    backoffUntilMs = backoffUntilMs, cursor = tonumber(cursor or 1), logUntilMs = logUntilMs,
    inFlight = tonumber(inFlight or 0), storedWindowCount = tonumber(windowCount or 0),
    wasRetryLast = wasRetryLast == '1', taken = {}}
end
`,
});
