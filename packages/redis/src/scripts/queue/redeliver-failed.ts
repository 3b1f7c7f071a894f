import { defineScript } from '../../define-script.ts';
import type { DeliveryMethod } from '../../store-methods.ts';
import { dueChannel, webhookName } from '../../webhook-keyspace.ts';
import { DIGITS } from '../fragments/digits.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './fragments/delivery-text.ts';
import { NOTIFY_WORKERS } from './fragments/notify-workers.ts';
import { START_OVER } from './fragments/start-over.ts';

/**
 * How many distinct scores there are within a millisecond: a double with the current time, about 1.8e12 ms, has this
 * precision. So deliveries that are all due together keep their order.
 */
const SCORES_PER_MS = 4096;

/**
 * Redelivers the failed deliveries that were published since `sinceMs`, oldest first.
 *
 * Outcomes: `due`, with the number of redelivered ones, and 1 if there are more, else 0; `unknown`.
 */
const script = defineScript({
  name: 'queue/redeliver-failed',
  keys: ['root'],
  args: { webhook: 'text', sinceMs: 'number', limit: 'number', channel: 'text' },
  uses: [KEY_OF, DIGITS, DELIVERY_TEXT, START_OVER, NOTIFY_WORKERS],
  lua: `
local event, disabledAtMs = unpack(redis.call('HMGET', keyOf('webhook', webhook), 'event', 'disabledAtMs'))
if not event then return reply('unknown') end
local failedKey, entries = keyOf('failed', webhook), {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', failedKey, sinceMs, '+inf', 'LIMIT', 0, limit)) do
  local text = redis.call('HGET', keyOf('deliveries', webhook), id)
  local delivery = text and parseDelivery(text)
  if delivery and now < delivery.expiresAtMs then
    entries[#entries + 1] = {id = id, delivery = delivery}
  else
    redis.call('ZREM', failedKey, id)
  end
end
table.sort(entries, function(one, other) return one.delivery.sequence < other.delivery.sequence end)
for index, entry in ipairs(entries) do
  startOver(webhook, entry.id, entry.delivery, now - (#entries - index) / ${SCORES_PER_MS})
end
if #entries > 0 and not disabledAtMs then
  redis.call('ZADD', rootKey .. ':due', 'LT', digits(now), webhook)
  notifyWorkers(channel)
end
local hasMore = redis.call('ZCOUNT', failedKey, sinceMs, '+inf') > 0
return reply('due', #entries, hasMore and 1 or 0)
`,
});

export const redeliverFailed: DeliveryMethod<'redeliverFailed'> =
  ({ call, partitions }) =>
  async (ref, { sinceMs, limit }) => {
    const keys = partitions.of(ref);
    const args = { webhook: webhookName(ref), sinceMs, limit, channel: dueChannel(keys) };
    const reply = await call(script, keys, args);
    if (reply.outcome(['due', 'unknown']) === 'unknown') return null;
    return { count: reply.integer(), more: reply.integer() === 1 };
  };
