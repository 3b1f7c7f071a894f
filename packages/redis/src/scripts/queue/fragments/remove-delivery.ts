import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/** `removeDelivery(webhook, id)`: removes a delivery from all keys except its entry in the log. */
export const REMOVE_DELIVERY = defineFragment({
  uses: [KEY_OF],
  rareFunction: 'removeDelivery(webhook, id)',
  body: `
  redis.call('HDEL', keyOf('deliveries', webhook), id)
  redis.call('ZREM', keyOf('retries', webhook), id)
  redis.call('ZREM', keyOf('failed', webhook), id)
`,
});
