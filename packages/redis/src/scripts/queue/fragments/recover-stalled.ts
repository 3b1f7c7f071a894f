import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { ACCOUNT_OF } from '../../webhooks/fragments/account-of.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './delivery-text.ts';
import { FREE_IN_FLIGHT } from './free-in-flight.ts';
import { BEFORE_ALL_TIMES } from './heads.ts';
import { LEASE_TEXT } from './lease-text.ts';
import { STORED_MESSAGE_TIMES } from './message.ts';
import { SAVE_DELIVERY } from './save-delivery.ts';

/**
 * `recoverStalled(leases, leaseMs, maxStalledAttempts)`: removes expired leases. Their deliveries are claimed before
 * all others, or fail with the reason `poison` after `maxStalledAttempts`. Returns one list with the webhook and the id
 * of each failed delivery.
 *
 * Outer values: `now`, `nowText`, `rootKey`.
 */
export const RECOVER_STALLED = defineFragment({
  uses: [
    KEY_OF,
    ACCOUNT_OF,
    DIGITS,
    CHANGES,
    LEASE_TEXT,
    DELIVERY_TEXT,
    STORED_MESSAGE_TIMES,
    FREE_IN_FLIGHT,
    SAVE_DELIVERY,
  ],
  lazyFunction: 'recoverStalled(leases, leaseMs, maxStalledAttempts)',
  body: `
  local poisoned, freed = {}, {}
  redis.call('ZREM', rootKey .. ':leases', unpack(leases))
  for _, lease in ipairs(leases) do
    local webhook, id, attempt, sequence, claimedAtMs, createdAt = parseLease(lease)
    freed[webhook] = (freed[webhook] or 0) + 1
    local storedAt, expiresAtMs = storedMessageTimes(accountOf(webhook), id)
    -- Nothing is stored for a delivery that has expired, or whose id was published again after the claim.
    local isCurrent = storedAt == createdAt and now < expiresAtMs
    if isCurrent and redis.call('EXISTS', keyOf('webhook', webhook)) == 1 then
      local storedText = redis.call('HGET', keyOf('deliveries', webhook), id)
      local delivery = storedText and parseDelivery(storedText) or newDelivery(sequence, createdAt, expiresAtMs)
      delivery.attempt, delivery.stalled = attempt, delivery.stalled + 1
      -- Number, start, status, duration and error, as \`complete\` serialises them.
      addAttempt(delivery, string.format('[%d,%d,null,%d,"lost"]', attempt, claimedAtMs, leaseMs))
      delivery.state = 'waiting'
      if delivery.stalled >= maxStalledAttempts then
        delivery.state, delivery.reason = 'failed', 'poison'
        poisoned[#poisoned + 1] = webhook
        poisoned[#poisoned + 1] = id
      else
        redis.call('ZADD', rootKey .. ':due', 'LT', nowText, webhook)
      end
      saveDelivery(webhook, id, delivery, digits(delivery.sequence - ${BEFORE_ALL_TIMES}))
    end
  end
  local freedOfAccounts = {}
  for webhook, count in pairs(freed) do
    local inFlight, isCapped = unpack(redis.call('HMGET', keyOf('webhook', webhook), 'inFlight', 'isCapped'))
    -- The removal of a webhook has already subtracted its attempts.
    if inFlight then
      local account, changes = accountOf(webhook), {}
      freedOfAccounts[account] = (freedOfAccounts[account] or 0) + count
      freeInFlightOf(webhook, inFlight, isCapped, count, changes)
      saveChanges(webhook, changes)
    end
  end
  freeInFlightOfAccounts(freedOfAccounts)
  return poisoned
`,
});
