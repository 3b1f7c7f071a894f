/**
 * What `resend`, `recover` and `release` have in common: deliveries that go on from their beginning. Needs
 * `keyOf`, `rateOf`, `retrySlot`, `hold`, `schedule` and `deadMember`.
 *
 * - `lineOf(webhook)`: the webhook, or `nil`, as those see it that are not in the order of publishing. It
 *   counts the starts that it gave away: of a batch as many are scheduled at once as may start, and the
 *   others one by one.
 * - `nextInLine(line)`: when the next of them is to be asked for.
 * - `beginAnew(webhook, id, state, run, atMs)`: a new run, with all tries. An engine may still hold what it
 *   had for the old one, and would ignore the same again. Answers id, run and delay.
 * - `putBack(webhook, id, delivery, line)`: the same, to be asked for as a retry is. Of a disabled webhook it
 *   is held, and the run comes with its release: answers `nil`. `delivery` is `HMGET state run sequence
 *   expiresAtMs` of it.
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

local function beginAnew(webhook, id, state, run, atMs)
  redis.call('HSET', keyOf('delivery', webhook .. '/' .. id),
    'state', state, 'run', run + 1, 'tries', 0, 'lost', 0, 'retryAtMs', now)
  schedule(webhook, id, atMs)
  return {id, run + 1, atMs - now}
end

local function putBack(webhook, id, delivery, line)
  if delivery[1] == 'dead' then
    redis.call('ZREM', keyOf('dead', webhook), deadMember(delivery[3], id))
  end
  redis.call('HDEL', keyOf('delivery', webhook .. '/' .. id), 'deadReason')
  if line.isDisabled then
    hold(webhook, id, delivery[3], delivery[4])
    return nil
  end
  redis.call('ZREM', keyOf('held', webhook), id)
  return beginAnew(webhook, id, 'waiting', delivery[2], nextInLine(line))
end
`;
