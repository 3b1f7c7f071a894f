/**
 * `putBack(webhook, id, delivery, line)`: puts a delivery back to its beginning: a new run, all tries, to be
 * asked for as a retry is. Answers the new run and in how many ms. Of a disabled webhook it is held, and
 * nothing is answered. Needs `keyOf`, `rate`, `retrySlot`, `hold`, `schedule`, `deadMember`.
 *
 * `delivery` is `HMGET state run sequence expiresAtMs` of it. `line` is of `lineOf(webhook)`: the webhook as
 * those see it that are not in the order of publishing, or `nil`. It counts the starts that it gave away, so
 * that of a batch as many are scheduled at once as may start, and the others one by one.
 */
export const PUT_BACK = `
local function lineOf(webhook)
  local webhookKey = keyOf('webhook', webhook)
  local found = redis.call('HMGET', webhookKey,
    'rateLimit', 'rateLimitPeriod', 'rateMarginMs', 'retrySlotMs', 'disabledAtMs')
  if not found[1] then return nil end
  local rate = rateOf(webhook, found[1], found[2], tonumber(found[3] or 0))
  return {webhookKey = webhookKey, rate = rate, cursorMs = tonumber(found[4] or 0),
    isDisabled = found[5], given = 0}
end

-- Behind those that were told to come later, nobody is let in at once.
local function nextInLine(line)
  if line.cursorMs <= now and line.given < freeStarts(line.rate) then
    line.given = line.given + 1
    return now
  end
  local atMs
  atMs, line.cursorMs = retrySlot(line.rate, line.webhookKey, line.cursorMs, nextFreeMs(line.rate))
  return atMs
end

local function putBack(webhook, id, delivery, line)
  local deliveryKey = keyOf('delivery', webhook .. '/' .. id)
  if delivery[1] == 'dead' then
    redis.call('ZREM', keyOf('dead', webhook), deadMember(delivery[3], id))
  end
  redis.call('HDEL', deliveryKey, 'deadReason')
  redis.call('HSET', deliveryKey, 'run', delivery[2] + 1, 'tries', 0, 'lost', 0, 'retryAtMs', now)
  if line.isDisabled then
    hold(webhook, id, delivery[3], delivery[4])
    return nil
  end
  redis.call('HSET', deliveryKey, 'state', 'waiting')
  redis.call('ZREM', keyOf('held', webhook), id)
  local atMs = nextInLine(line)
  schedule(webhook, id, atMs)
  return delivery[2] + 1, atMs - now
end
`;
