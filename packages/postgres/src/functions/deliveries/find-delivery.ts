import type { DeliveryRecord, DeliveryRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import { parseDeliveryRecord } from '../../delivery-record.ts';
import type { CallFunction } from '../../function-caller.ts';
import { LISTED_DELIVERY } from './internal/listed-delivery.ts';

/** Finds a delivery. Outcome: `found`, with the delivery and what receivers answered, or `null`. */
export const findDeliveryFunction = defineFunction({
  name: 'find_delivery',
  args: { accountId: 'bigint', webhookId: 'text', deliveryId: 'text' },
  body: `
now_ms := enter(p_landing_limit_ms, p_clock_ms);
RETURN json_build_object('outcome', 'found', 'delivery', (
  SELECT json_build_object('listed', ${LISTED_DELIVERY}, 'responses', to_json(d.responses))
    FROM webhooks w JOIN deliveries d ON d.webhook = w.sequence
   WHERE w.account_id = p_account_id AND w.webhook_id = p_webhook_id
     AND d.delivery_id = p_delivery_id AND d.expires_at_ms > now_ms));
`,
});

export async function findDelivery(
  call: CallFunction,
  ref: DeliveryRef,
): Promise<DeliveryRecord | null> {
  const { accountId, webhookId, deliveryId } = ref;
  const answer = await call(findDeliveryFunction, { accountId, webhookId, deliveryId });
  const found = answer.objectOrNull('delivery');
  return found && parseDeliveryRecord(ref, found);
}
