import { defineFragment } from '../../../define-fragment.ts';
import { EXTEND_TTL } from '../../fragments/extend-ttl.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './delivery-text.ts';
import { EXTEND_TTL_BY_FIELD } from './extend-ttl-by-field.ts';

/**
 * `indexDelivery(webhook, id, delivery, retryAtMs)`: adds a waiting delivery to `retries` with the score `retryAtMs`, a
 * failed one to `failed`. For a failed one, `retryAtMs` is not used and may be absent.
 */
export const INDEX_DELIVERY = defineFragment({
  uses: [KEY_OF, EXTEND_TTL],
  lazyFunction: 'indexDelivery(webhook, id, delivery, retryAtMs)',
  body: `
  local isFailed = delivery.state == 'failed'
  local key = keyOf(isFailed and 'failed' or 'retries', webhook)
  redis.call('ZADD', key, isFailed and delivery.createdAt or retryAtMs, id)
  extendTtl(key, delivery.expiresAtMs)
`,
});

/** `saveDelivery(webhook, id, delivery, retryAtMs)`: writes the text of a delivery, and calls `indexDelivery`. */
export const SAVE_DELIVERY = defineFragment({
  uses: [KEY_OF, CHANGES, EXTEND_TTL_BY_FIELD, DELIVERY_TEXT, INDEX_DELIVERY],
  lazyFunction: 'saveDelivery(webhook, id, delivery, retryAtMs)',
  body: `
  redis.call('HSET', keyOf('deliveries', webhook), id, deliveryText(delivery))
  local changes, storedUntilMs = {}, redis.call('HGET', keyOf('webhook', webhook), 'deliveriesUntilMs')
  extendTtlByField(changes, 'deliveries', webhook, storedUntilMs, delivery.expiresAtMs)
  saveChanges(webhook, changes)
  indexDelivery(webhook, id, delivery, retryAtMs)
`,
});
