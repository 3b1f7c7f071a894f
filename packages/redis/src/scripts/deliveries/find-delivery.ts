import type { DeliveryRecord, DeliveryRef } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { DELIVERY, parseDeliveryRecord } from '../../delivery-record.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { ADD_RESPONSES } from './fragments/log-attempt.ts';
import { READ_DELIVERY } from './fragments/read-delivery.ts';

/**
 * Reads a delivery with its attempts, and with what receivers answered.
 *
 * Outcomes: `found`, with the record; `unknown`.
 */
const script = defineScript({
  name: 'find-delivery',
  keys: ['root'],
  args: { webhook: 'text', deliveryId: 'text' },
  uses: [ADD_RESPONSES, KEY_OF, READ_DELIVERY],
  lua: `
if redis.call('EXISTS', keyOf('webhook', webhook)) == 0 then return answer('unknown') end
local record = readDelivery(webhook, deliveryId)
if not record then return answer('unknown') end
addResponses(keyOf('delivery', webhook .. '/' .. deliveryId), record[${DELIVERY.at.attempts}])
return answer('found', record)
`,
});

export async function findDelivery(
  call: CallScript,
  keys: WebhookKeys,
  ref: DeliveryRef,
): Promise<DeliveryRecord | null> {
  const args = { webhook: webhookName(ref), deliveryId: ref.deliveryId };
  const reply = await call(script, keys, args);
  if (reply.outcome(['found', 'unknown']) === 'unknown') return null;
  return parseDeliveryRecord(reply.list(), ref);
}
