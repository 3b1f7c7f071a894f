import { defineFragment } from '../../../define-fragment.ts';
import { EXTEND_TTL } from '../../fragments/extend-ttl.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './delivery-text.ts';
import { EXTEND_RECORDED_TTL } from './extend-recorded-ttl.ts';

/**
 * `indexDelivery(webhook, id, delivery, retryAtMs)`: adds a waiting delivery to `retries` at `retryAtMs`, a failed one
 * to `failed`.
 */
export const INDEX_DELIVERY = defineFragment({
  uses: [KEY_OF, EXTEND_TTL],
  rareFunction: 'indexDelivery(webhook, id, delivery, retryAtMs)',
  body: `
  local isFailed = delivery.state == 'failed'
  local key = keyOf(isFailed and 'failed' or 'retries', webhook)
  redis.call('ZADD', key, isFailed and delivery.createdAt or retryAtMs, id)
  extendTtl(key, delivery.expiresAtMs)
`,
});

/** `saveDelivery(webhook, id, delivery, retryAtMs)`: writes and indexes one delivery. */
export const SAVE_DELIVERY = defineFragment({
  uses: [KEY_OF, CHANGES, EXTEND_RECORDED_TTL, DELIVERY_TEXT, INDEX_DELIVERY],
  rareFunction: 'saveDelivery(webhook, id, delivery, retryAtMs)',
  body: `
  redis.call('HSET', keyOf('deliveries', webhook), id, deliveryText(delivery))
  local changes, untilMs = {}, redis.call('HGET', keyOf('webhook', webhook), 'deliveriesUntilMs')
  extendRecordedTtl(changes, 'deliveries', webhook, untilMs, delivery.expiresAtMs)
  saveChanges(webhook, changes)
  indexDelivery(webhook, id, delivery, retryAtMs)
`,
});
