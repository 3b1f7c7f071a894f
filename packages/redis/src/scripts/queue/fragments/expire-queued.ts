import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './delivery-text.ts';
import { MESSAGE_TIMES } from './message.ts';

/**
 * `expireQueued(webhook, first, cursor, count, changes, expired)`: gives up the oldest deliveries that wait for their
 * first try. `first` is the sequence of the first entry of the log, `cursor` that of the oldest that waits. Adds
 * (webhook id, delivery id) of each to `expired`.
 */
export const EXPIRE_QUEUED = defineFragment({
  uses: [KEY_OF, DIGITS, CHANGES, DELIVERY_TEXT, MESSAGE_TIMES],
  rareFunction: 'expireQueued(webhook, first, cursor, count, changes, expired)',
  body: `
  local accountId, webhookId = webhook:match('^(.*)/(.*)$')
  local ids = redis.call('LRANGE', keyOf('log', webhook), cursor - first, cursor - first + count - 1)
  for place, id in ipairs(ids) do
    local message = redis.call('GETRANGE', keyOf('message', accountId .. '/' .. id), 0, 63)
    if message ~= '' then
      local createdAtMs, expiresAtMs = messageTimes(message)
      redis.call('HSET', keyOf('deliveries', webhook), id, deliveryText({sequence = cursor + place - 1, state = 'failed',
        attempt = 0, failures = 0, lost = 0, notCounted = 0, createdAtMs = createdAtMs, expiresAtMs = expiresAtMs,
        reason = 'expired', attempts = ''}))
      redis.call('ZADD', keyOf('failed', webhook), digits(createdAtMs), id)
      expired[#expired + 1] = {webhookId, id}
    end
  end
  change(changes, 'cursor', digits(cursor + count))
`,
});
