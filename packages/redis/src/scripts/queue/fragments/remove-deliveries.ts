import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/** `removeDeliveries(webhook, ids)`: removes deliveries from all keys except their entries in the log. */
export const REMOVE_DELIVERIES = defineFragment({
  uses: [KEY_OF],
  lazyFunction: 'removeDeliveries(webhook, ids)',
  body: `
  if #ids == 0 then return end
  redis.call('HDEL', keyOf('deliveries', webhook), unpack(ids))
  redis.call('ZREM', keyOf('retries', webhook), unpack(ids))
  redis.call('ZREM', keyOf('failed', webhook), unpack(ids))
`,
});
