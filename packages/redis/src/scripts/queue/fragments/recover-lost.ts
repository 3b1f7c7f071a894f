import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './delivery-text.ts';
import { FREE_IN_FLIGHT } from './free-in-flight.ts';
import { MESSAGE_TIMES } from './message.ts';

/**
 * `recoverLost(leases, leaseMs, maxLostAttempts, maxInFlightPerAccount)`: takes back leases that are over. Their
 * deliveries are due at once, or `failed` for the reason `poison`; answers those (webhook, id).
 */
export const RECOVER_LOST = defineFragment({
  uses: [KEY_OF, DIGITS, DELIVERY_TEXT, MESSAGE_TIMES, FREE_IN_FLIGHT],
  rareFunction: 'recoverLost(leases, leaseMs, maxLostAttempts, maxInFlightPerAccount)',
  body: `
  local poisoned, freed = {}, {}
  for _, lease in ipairs(leases) do
    redis.call('ZREM', rootKey .. ':leases', lease)
    local webhook, id, attempt, sequence, claimedAtMs = lease:match('^(%S+) (%S+) (%d+) (%d+) (%d+)$')
    freed[webhook] = (freed[webhook] or 0) + 1
    local message = redis.call('GETRANGE', keyOf('message', webhook:match('^(.*)/') .. '/' .. id), 0, 63)
    if message ~= '' and redis.call('EXISTS', keyOf('webhook', webhook)) == 1 then
      local createdAtMs, expiresAtMs = messageTimes(message)
      local known = redis.call('HGET', keyOf('deliveries', webhook), id)
      local delivery = known and parseDelivery(known) or {sequence = tonumber(sequence), failures = 0, lost = 0,
        notCounted = 0, createdAtMs = createdAtMs, expiresAtMs = expiresAtMs, reason = '-', attempts = ''}
      delivery.attempt, delivery.lost = tonumber(attempt), delivery.lost + 1
      delivery.attempts = delivery.attempts .. '\\n' .. cjson.encode({tonumber(attempt), tonumber(claimedAtMs), cjson.null,
        leaseMs, 'lost'})
      if delivery.lost >= maxLostAttempts then
        delivery.state, delivery.reason = 'failed', 'poison'
        redis.call('ZADD', keyOf('failed', webhook), digits(createdAtMs), id)
        poisoned[#poisoned + 1] = {webhook, id}
      else
        delivery.state = 'waiting'
        redis.call('ZADD', keyOf('retries', webhook), digits(now), id)
        redis.call('ZADD', rootKey .. ':due', 'LT', digits(now), webhook)
      end
      redis.call('HSET', keyOf('deliveries', webhook), id, deliveryText(delivery))
    end
  end
  freeInFlight(freed, maxInFlightPerAccount)
  return poisoned
`,
});
