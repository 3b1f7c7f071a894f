import type { Page, ScheduledDelivery, WebhookRef } from '@latchhook/core';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { deliveryRef, type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { FORGET } from './fragments/forget.ts';
import { LINES } from './fragments/lines.ts';
import { RATE } from './fragments/rate.ts';
import { SCHEDULE } from './fragments/schedule.ts';

/**
 * When first tries that are queued may start by today's limit, in order. `after` is empty for those from the
 * first.
 *
 * Outcomes: `rescheduled`, with the deliveries (id, run, delay, sequence).
 */
const script = defineScript({
  name: 'reschedule-deliveries',
  keys: ['root'],
  args: { webhook: 'text', rateMarginMs: 'number', after: 'text', limit: 'number' },
  lua: `
${KEY_OF}
${RATE}
${LINES}
${SCHEDULE}
${FORGET}
local found = redis.call('HMGET', keyOf('webhook', webhook),
  'rateLimit', 'rateLimitPeriod', 'disabledAtMs', 'lastRetry')
if not found[1] or found[3] then return answer('rescheduled', {}) end
dropForgotten(webhook, 'queued')

local queuedKey, rescheduled = keyOf('queued', webhook), {}
local rate = rateOf(webhook, found[1], found[2], rateMarginMs)
local from = after == '' and '-inf' or '(' .. after
local ids = redis.call('ZRANGEBYSCORE', queuedKey, from, '+inf', 'LIMIT', 0, limit)
local place = ids[1] and redis.call('ZRANK', queuedKey, ids[1])
local others = redis.call('ZCARD', keyOf('retries', webhook))
for _, id in ipairs(ids) do
  local delivery = redis.call('HMGET', keyOf('delivery', webhook .. '/' .. id),
    'run', 'sequence', 'expiresAtMs')
  if delivery[1] and now < tonumber(delivery[3]) then
    local rank = inTurns(place, others, true, found[4] == '1')
    local atMs = mayStart(rate, rank) and now or toldMs(rate, rank)
    redis.call('ZREM', keyOf('crowd', webhook), id)
    schedule(webhook, id, atMs)
    rescheduled[#rescheduled + 1] = {id, delivery[1], atMs - now, delivery[2]}
    place = place + 1
  end
end
return answer('rescheduled', rescheduled)
`,
});

export async function rescheduleDeliveries(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
  { rateMarginMs, after, limit }: { readonly rateMarginMs: number } & Page,
): Promise<readonly (ScheduledDelivery & { readonly sequence: number })[]> {
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
    sequence: delivery.integer(),
  }));
}
