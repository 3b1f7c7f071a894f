import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { ATTEMPTS_OF } from './log-attempt.ts';

/**
 * `readDelivery(webhook, id)`: a delivery as `parseListedDelivery` takes it, or `nil`; and its attempts, once more.
 */
export const READ_DELIVERY = defineFragment({
  uses: [ATTEMPTS_OF, KEY_OF],
  lua: `
local function readDelivery(webhook, id)
  local deliveryKey = keyOf('delivery', webhook .. '/' .. id)
  local found = redis.call('HMGET', deliveryKey, 'event', 'sequence', 'state', 'deadReason',
    'createdAtMs', 'expiresAtMs', 'attempt')
  if not found[1] or now >= tonumber(found[6]) then return nil end

  local isScheduled = found[3] == 'queued' or found[3] == 'waiting'
  local dueAtMs = isScheduled and redis.call('ZSCORE', keyOf('due', webhook), id)
  local attempts = attemptsOf(deliveryKey, tonumber(found[7] or 0))
  return {id, found[1], found[2], found[3], found[4] or '', found[5], dueAtMs or 0, attempts}, attempts
end
`,
});
