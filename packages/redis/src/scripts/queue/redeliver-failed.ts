import { defineScript } from '../../define-script.ts';
import type { DeliveryMethod } from '../../store-methods.ts';
import { dueChannel, webhookName } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './fragments/delivery-text.ts';
import { START_OVER } from './fragments/start-over.ts';

/**
 * Redelivers the failed deliveries that were published since `sinceMs`, oldest first.
 *
 * Outcomes: `due`, with the number of redelivered ones, and 1 if there are more, else 0; `unknown`.
 */
const script = defineScript({
  name: 'queue/redeliver-failed',
  keys: ['root'],
  args: { webhook: 'text', sinceMs: 'number', limit: 'number', channel: 'text' },
  uses: [KEY_OF, DELIVERY_TEXT, START_OVER],
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
startOver(webhook, entries, disabledAtMs, channel)
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
