import {
  type CallDeadline,
  positionFromNumber,
  positionToNumber,
  type RescheduledDelivery,
  type RescheduleRequest,
  type WebhookRef,
} from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { fillPage, MAX_LOOKED_AT } from '../../fill-page.ts';
import type { CallScript } from '../../script-caller.ts';
import { deliveryRef, type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { FIRST_NOT_PARKED } from './fragments/first-not-parked.ts';
import { DROP_FORGOTTEN, FORGET } from './fragments/forget.ts';
import { IN_TURNS } from './fragments/in-turns.ts';
import { LINE_UP } from './fragments/line-up.ts';
import { LINES } from './fragments/lines.ts';
import { OBSTACLE } from './fragments/obstacle.ts';
import { RATE } from './fragments/rate.ts';

/**
 * Schedules those of both lines by today's limit, retries first, each in order, but for those that stay parked. `after`
 * is empty for those from the first; the positions of retries are negative.
 *
 * Outcomes: `rescheduled`, with the deliveries (id, run, delay, position), and 1 where it stopped before there were
 * `limit` or both lines were over, else 0; `unknown`. What is forgotten is taken out as it is met.
 */
const script = defineScript({
  name: 'reschedule-deliveries',
  keys: ['root'],
  args: {
    webhook: 'text',
    rateMarginMs: 'number',
    maxInFlight: 'number',
    leaseMs: 'number',
    after: 'text',
    limit: 'number',
  },
  uses: [
    FIRST_NOT_PARKED,
    IN_TURNS,
    KEY_OF,
    LINES,
    LINE_UP,
    OBSTACLE,
    RATE,
    FORGET,
    DROP_FORGOTTEN,
  ],
  lua: `
local rateLimit, rateLimitPeriod, disabledAtMs, lastTurn, activeMs, pausedUntilMs = unpack(redis.call('HMGET',
  keyOf('webhook', webhook), 'rateLimit', 'rateLimitPeriod', 'disabledAtMs', 'wasRetryLast', 'activeMs', 'pausedUntilMs'))
if not rateLimit then return answer('unknown') end
if disabledAtMs then return answer('rescheduled', {}, 0) end
dropForgotten(webhook, 'queued')
dropForgotten(webhook, 'retries')

local rate = rateOf(webhook, rateLimit, rateLimitPeriod, rateMarginMs, pausedUntilMs)
local wasRetryLast = lastTurn == '1'
local line = {webhook = webhook, rate = rate, wasRetryLast = wasRetryLast, activeMs = activeMs}
local limits = {maxInFlight = maxInFlight, leaseMs = leaseMs}
local inFlight = inFlightOf(webhook)
local room = maxInFlight - inFlight
local rescheduled, looked = {}, 0

local function rescheduleSome(isFirst, place)
  local kind, parkedKind, other = linesOf(isFirst)
  local others = redis.call('ZCARD', keyOf(other, webhook))
  local function rankAt(place) return inTurns(place, others, isFirst, wasRetryLast) end

  if rankAt(place) >= room then place = firstNotParked(webhook, kind, parkedKind, place) end
  if not place then return nil end
  local ids = redis.call('ZRANGE', keyOf(kind, webhook), place, place + limit - #rescheduled - 1, 'WITHSCORES')
  for index = 1, #ids, 2 do
    local id, rank = ids[index], rankAt(place)
    local run, expiresAtMs, state = unpack(
      redis.call('HMGET', keyOf('delivery', webhook .. '/' .. id), 'run', 'expiresAtMs', 'state'))
    local isKnown = run and now < tonumber(expiresAtMs)
    if not isKnown then
      forget(webhook, id, state)
    elseif rank < room or not redis.call('ZSCORE', keyOf(parkedKind, webhook), id) then
      local dueMs = redis.call('ZSCORE', keyOf('due', webhook), id)
      -- A removal first: a full Redis refuses none of what comes after it.
      redis.call('ZREM', keyOf('due', webhook), id)
      local obstacle = obstacleTo(rate, rank, inFlight, maxInFlight)
      local atMs = lineUp(line, {id = id, isFirst = isFirst, rank = rank}, obstacle, limits)
      -- Who should have asked before is as late as it was.
      if not obstacle and dueMs then redis.call('ZADD', keyOf('due', webhook), 'LT', dueMs, id) end
      rescheduled[#rescheduled + 1] = {id, run, atMs - now, isFirst and ids[index + 1] or -ids[index + 1]}
    end
    if isKnown then place = place + 1 end
  end
  looked = looked + #ids / 2
  return #ids > 0 and place or nil
end
local function rescheduleToEnd(isFirst, place)
  while #rescheduled < limit and looked < ${MAX_LOOKED_AT} do
    place = rescheduleSome(isFirst, place)
    if not place then return true end
  end
  return false
end
local function placeBehind(kind, cursor) return redis.call('ZCOUNT', keyOf(kind, webhook), '-inf', cursor) end
local isAmongFirst = after ~= '' and tonumber(after) >= 0
local isOver = (isAmongFirst or rescheduleToEnd(false, after == '' and 0 or placeBehind('retries', -after)))
  and rescheduleToEnd(true, isAmongFirst and placeBehind('queued', after) or 0)
return answer('rescheduled', rescheduled, (isOver or #rescheduled == limit) and 0 or 1)
`,
});

export async function rescheduleDeliveries(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
  { rateMarginMs, maxInFlight, leaseMs, ...page }: RescheduleRequest,
  deadline: CallDeadline,
): Promise<readonly RescheduledDelivery[] | null> {
  const webhook = webhookName(ref);
  const positionOf = ({ position }: RescheduledDelivery) => position;
  return fillPage(page, positionOf, async (part) => {
    const after = part.after === null ? '' : String(positionToNumber(part.after));
    const args = { webhook, rateMarginMs, maxInFlight, leaseMs, after, limit: part.limit };
    const reply = await call(script, keys, args, { deadline });
    if (reply.outcome(['rescheduled', 'unknown']) === 'unknown') return null;
    const items = Array.from(reply.list().lists(), (delivery) => ({
      ...deliveryRef(webhook, delivery.text()),
      run: delivery.integer(),
      delayMs: delivery.integer(),
      position: positionFromNumber(delivery.integer()),
    }));
    return { items, hasStopped: reply.integer() === 1 };
  });
}
