import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { NO_REASON } from './delivery-text.ts';
import { NOTIFY_WORKERS } from './notify-workers.ts';
import { SAVE_DELIVERY } from './save-delivery.ts';

/**
 * How many distinct scores there are within a millisecond: a double with the current time, about 1.8e12 ms, has this
 * precision. So deliveries that are all due together keep their order.
 */
const SCORES_PER_MS = 4096;

/**
 * `startOver(webhook, entries, isDisabled, channel)`: gives deliveries of a webhook all of their attempts again, and
 * makes them due, in the order of `entries`. Each entry has the `id` and the `delivery`, whose fields are those of
 * {@link DELIVERY_TEXT}.
 *
 * Outer values: `now`, `nowText`, `rootKey`.
 */
export const START_OVER = defineFragment({
  uses: [KEY_OF, SAVE_DELIVERY, NOTIFY_WORKERS],
  lua: `
local function startOver(webhook, entries, isDisabled, channel)
  for index, entry in ipairs(entries) do
    local delivery = entry.delivery
    delivery.state, delivery.reason = 'waiting', '${NO_REASON}'
    delivery.failures, delivery.stalled, delivery.notCounted = 0, 0, 0
    redis.call('ZREM', keyOf('failed', webhook), entry.id)
    saveDelivery(webhook, entry.id, delivery, now - (#entries - index) / ${SCORES_PER_MS})
  end
  if isDisabled or #entries == 0 then return end
  redis.call('ZADD', rootKey .. ':due', 'LT', nowText, webhook)
  notifyWorkers(channel)
end
`,
});
