import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { SAVE_DELIVERY } from './save-delivery.ts';

/** `startOver(webhook, id, delivery, dueAtMs)`: a delivery gets all of its tries again, from then on. */
export const START_OVER = defineFragment({
  uses: [KEY_OF, SAVE_DELIVERY],
  lua: `
local function startOver(webhook, id, delivery, dueAtMs)
  delivery.state, delivery.failures, delivery.lost, delivery.notCounted, delivery.reason = 'waiting', 0, 0, 0, '-'
  redis.call('ZREM', keyOf('failed', webhook), id)
  saveDelivery(webhook, id, delivery, dueAtMs)
end
`,
});
