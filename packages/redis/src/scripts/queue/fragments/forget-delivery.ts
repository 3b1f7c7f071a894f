import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/** `forgetDelivery(webhook, id)`: removes a delivery from all keys except its entry in the log. */
export const FORGET_DELIVERY = defineFragment({
  uses: [KEY_OF],
  rareFunction: 'forgetDelivery(webhook, id)',
  body: `
  redis.call('HDEL', keyOf('deliveries', webhook), id)
  redis.call('ZREM', keyOf('retries', webhook), id)
  redis.call('ZREM', keyOf('failed', webhook), id)
`,
});
