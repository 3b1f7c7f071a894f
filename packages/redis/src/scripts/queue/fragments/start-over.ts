import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './delivery-text.ts';

/** `startOver(webhook, id, delivery)`: a delivery gets all of its tries again, and is due. */
export const START_OVER = defineFragment({
  uses: [KEY_OF, DIGITS, DELIVERY_TEXT],
  lua: `
local function startOver(webhook, id, delivery)
  delivery.state, delivery.failures, delivery.lost, delivery.notCounted, delivery.reason = 'waiting', 0, 0, 0, '-'
  redis.call('HSET', keyOf('deliveries', webhook), id, deliveryText(delivery))
  redis.call('ZREM', keyOf('failed', webhook), id)
  redis.call('ZADD', keyOf('retries', webhook), digits(now), id)
end
`,
});
