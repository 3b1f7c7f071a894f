import { defineFragment } from '../../../define-fragment.ts';
import { DELIVERY } from '../../../delivery-record.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { ATTEMPTS_OF } from './log-attempt.ts';

const { at } = DELIVERY;

/** `readDelivery(webhook, id)`: the record `DELIVERY`, or `nil`. */
export const READ_DELIVERY = defineFragment({
  uses: [ATTEMPTS_OF, KEY_OF],
  lua: `
local function readDelivery(webhook, id)
  local deliveryKey = keyOf('delivery', webhook .. '/' .. id)
  local record = redis.call('HMGET', deliveryKey, ${DELIVERY.stored})
  if not record[${at.event}] or now >= tonumber(record[${at.expiresAtMs}]) then return nil end

  local state = record[${at.state}]
  local isScheduled = state == 'queued' or state == 'waiting'
  record[${at.deliveryId}] = id
  record[${at.dueAtMs}] = isScheduled and redis.call('ZSCORE', keyOf('due', webhook), id)
  record[${at.attempts}] = attemptsOf(deliveryKey, tonumber(record[${at.attempt}] or 0))
  return record
end
`,
});
