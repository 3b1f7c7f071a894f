import type { Page, RescheduledDelivery, WebhookRef } from '@latchhook/core';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { deliveryRef, type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { COUNTED_LINES } from './fragments/counted-lines.ts';
import { FORGET } from './fragments/forget.ts';
import { LINES } from './fragments/lines.ts';
import { RATE } from './fragments/rate.ts';
import { SCHEDULE } from './fragments/schedule.ts';
import { TOLD_MS } from './fragments/told-ms.ts';

/** However much is forgotten in the middle of a line, a page does not take long. */
const MAX_ROUNDS = 20;

/**
 * When those of both lines may start by today's limit, retries first, each in order. `after` is empty for those from
 * the first; the cursors of retries are negative.
 *
 * Outcomes: `rescheduled`, with the deliveries (id, run, delay, cursor).
 */
const script = defineScript({
  name: 'reschedule-deliveries',
  keys: ['root'],
  args: { webhook: 'text', rateMarginMs: 'number', after: 'text', limit: 'number' },
  lua: `
${KEY_OF}
${RATE}
${TOLD_MS}
${COUNTED_LINES}
${LINES}
${SCHEDULE}
${FORGET}
local found = redis.call('HMGET', keyOf('webhook', webhook),
  'rateLimit', 'rateLimitPeriod', 'disabledAtMs', 'lastRetry', 'activeMs')
if not found[1] or found[3] then return answer('rescheduled', {}) end
dropForgotten(webhook, 'queued')
dropForgotten(webhook, 'retries')

local rate, wasRetryLast = rateOf(webhook, found[1], found[2], rateMarginMs), found[4] == '1'
local rescheduled = {}
local function tellSome(isFirst, from)
  local line, crowd, other = linesOf(isFirst)
  local others = redis.call('ZCARD', keyOf(other, webhook))
  local ids = redis.call('ZRANGEBYSCORE', keyOf(line, webhook), from, '+inf', 'WITHSCORES',
    'LIMIT', 0, limit - #rescheduled)
  local place = ids[1] and redis.call('ZRANK', keyOf(line, webhook), ids[1])
  for index = 1, #ids, 2 do
    local id = ids[index]
    local delivery = redis.call('HMGET', keyOf('delivery', webhook .. '/' .. id), 'run', 'expiresAtMs', 'state')
    if delivery[1] and now < tonumber(delivery[2]) then
      local rank = inTurns(place, others, isFirst, wasRetryLast)
      local atMs = mayStart(rate, rank) and now or toldMs(rate, rank)
      leave(crowd, webhook, id)
      schedule(webhook, id, atMs, found[5])
      rescheduled[#rescheduled + 1] = {id, delivery[1], atMs - now, isFirst and ids[index + 1] or -ids[index + 1]}
      place = place + 1
    else
      forget(webhook, id, delivery[3])
    end
  end
  return ids[#ids]
end
local function tell(isFirst, from)
  for _ = 1, ${MAX_ROUNDS} do
    local last = tellSome(isFirst, from)
    if not last then return true end
    if #rescheduled == limit then return false end
    from = '(' .. last
  end
  return false
end
local isAmongFirst = after ~= '' and tonumber(after) >= 0
local isNextLine = isAmongFirst or tell(false, after == '' and '-inf' or '(' .. -after)
if isNextLine and #rescheduled < limit then tell(true, isAmongFirst and '(' .. after or '-inf') end
return answer('rescheduled', rescheduled)
`,
});

export async function rescheduleDeliveries(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
  { rateMarginMs, after, limit }: { readonly rateMarginMs: number } & Page,
): Promise<readonly RescheduledDelivery[]> {
  const webhook = webhookName(ref);
  const reply = await call(script, keys, {
    webhook,
    rateMarginMs,
    after: String(after ?? ''),
    limit,
  });
  reply.outcome(['rescheduled']);
  return Array.from(reply.list().lists(), (delivery) => ({
    ...deliveryRef(webhook, delivery.text()),
    run: delivery.integer(),
    delayMs: delivery.integer(),
    cursor: delivery.integer(),
  }));
}
