import { accountName } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { DeliveryMethod } from '../../store-methods.ts';
import { dueChannel } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './fragments/delivery-text.ts';
import { WEBHOOK_IDS_OF } from './fragments/message.ts';
import { START_OVER } from './fragments/start-over.ts';

/**
 * Redelivers one delivery, unless it is already queued or in flight.
 *
 * Outcomes: `due`; `under_way`; `unknown`.
 *
 * If the message is for this webhook and the delivery has no text, no attempt has ended, so the delivery is queued or
 * in flight. A waiting delivery that is not in `retries` is in flight.
 */
const script = defineScript({
  name: 'queue/redeliver',
  keys: ['root'],
  args: { accountId: 'text', webhookId: 'text', deliveryId: 'text', channel: 'text' },
  uses: [KEY_OF, DELIVERY_TEXT, WEBHOOK_IDS_OF, START_OVER],
  lua: `
local webhook = accountId .. '/' .. webhookId
local event, disabledAtMs = unpack(redis.call('HMGET', keyOf('webhook', webhook), 'event', 'disabledAtMs'))
local ids = event and webhookIdsOf(ownedKey('message', accountId, deliveryId)) or {}
local isKnown = false
for _, id in ipairs(ids) do isKnown = isKnown or id == webhookId end
if not isKnown then return reply('unknown') end
local text = redis.call('HGET', keyOf('deliveries', webhook), deliveryId)
if not text then return reply('under_way') end
local delivery = parseDelivery(text)
if delivery.state == 'waiting' then
  local retryAtMs = redis.call('ZSCORE', keyOf('retries', webhook), deliveryId)
  if not retryAtMs or tonumber(retryAtMs) <= now then return reply('under_way') end
end
startOver(webhook, {{id = deliveryId, delivery = delivery}}, disabledAtMs, channel)
return reply('due')
`,
});

export const redeliver: DeliveryMethod<'redeliver'> =
  ({ call, partitions }) =>
  async (ref) => {
    const keys = partitions.of(ref);
    const { webhookId, deliveryId } = ref;
    const accountId = accountName(ref.accountId);
    const args = { accountId, webhookId, deliveryId, channel: dueChannel(keys) };
    const reply = await call(script, keys, args);
    return { outcome: reply.outcome(['due', 'under_way', 'unknown']) };
  };
