import { defineFragment } from '../../../define-fragment.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './delivery-text.ts';
import { LOG_ENTRY_TEXT } from './log-entry.ts';
import { STORED_MESSAGE_TIMES } from './message.ts';
import { MOVE_TO_LOG } from './move-to-log.ts';
import { SAVE_DELIVERY } from './save-delivery.ts';
import { TRIM_LOG } from './trim-log.ts';

/** How many deliveries one call expires at most. After the limit was lowered, a queue reaches it in several calls. */
const MAX_EXPIRED = 64;

/**
 * `expireQueued(accountId, webhookId, excess, expired)`: fails the oldest deliveries that wait for their first attempt,
 * with the reason `expired`, and skips those whose message has expired. Appends the webhook id and the delivery id of
 * each failed delivery to `expired`. It uses the argument `retentionMs` of the script.
 */
export const EXPIRE_QUEUED = defineFragment({
  uses: [
    KEY_OF,
    CHANGES,
    DELIVERY_TEXT,
    LOG_ENTRY_TEXT,
    MOVE_TO_LOG,
    STORED_MESSAGE_TIMES,
    SAVE_DELIVERY,
    TRIM_LOG,
  ],
  rareFunction: 'expireQueued(accountId, webhookId, excess, expired)',
  body: `
  local webhook, changes = accountId .. '/' .. webhookId, {}
  local cursor, logUntilMs = unpack(redis.call('HMGET', keyOf('webhook', webhook), 'cursor', 'logUntilMs'))
  local queue = {cursor = tonumber(cursor or 1), logUntilMs = logUntilMs}
  local first, count = queue.cursor, math.min(excess, ${MAX_EXPIRED})
  work = work + count - 1
  local entries = moveToLog(webhook, queue, count, now + retentionMs, changes)
  -- More than were moved, so that the log of a webhook that is never claimed does not grow beyond the retention.
  trimLog(webhook, queue, changes, 2 * count)
  saveChanges(webhook, changes)
  for index, entry in ipairs(entries) do
    local enteredAt, id = parseEntry(entry)
    local createdAt, expiresAtMs = storedMessageTimes(accountId, id)
    if createdAt == enteredAt then
      local delivery = newDelivery(first + index - 1, createdAt, expiresAtMs)
      delivery.state, delivery.reason = 'failed', 'expired'
      saveDelivery(webhook, id, delivery)
      expired[#expired + 1] = webhookId
      expired[#expired + 1] = id
    end
  end
`,
});
