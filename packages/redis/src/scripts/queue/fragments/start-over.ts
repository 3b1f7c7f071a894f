import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { NO_REASON } from './delivery-text.ts';
import { SAVE_DELIVERY } from './save-delivery.ts';

/**
 * `startOver(webhook, id, delivery, dueAtMs)`: gives a delivery all of its attempts again, the first one at `dueAtMs`.
 * {@link DELIVERY_TEXT} has the fields of a delivery.
 */
export const START_OVER = defineFragment({
  uses: [KEY_OF, SAVE_DELIVERY],
  lua: `
local function startOver(webhook, id, delivery, dueAtMs)
  delivery.state, delivery.failures, delivery.stalled, delivery.notCounted, delivery.reason = 'waiting', 0, 0, 0,
    '${NO_REASON}'
  redis.call('ZREM', keyOf('failed', webhook), id)
  saveDelivery(webhook, id, delivery, dueAtMs)
end
`,
});
