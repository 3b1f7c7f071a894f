import { defineFragment } from '../../../define-fragment.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './delivery-text.ts';
import { LOG_ENTRY_TEXT } from './log-entry.ts';
import { STORED_MESSAGE_TIMES } from './message.ts';
import { MOVE_TO_LOG } from './move-to-log.ts';
import { SAVE_DELIVERY } from './save-delivery.ts';
import { TRIM_LOG } from './trim-log.ts';

/** How many deliveries one call expires at most. After `maxQueued` was lowered, a queue reaches it in several calls. */
const MAX_EXPIRED = 64;

/**
 * `expireQueued(accountId, webhookId, excess, expired)`: takes up to `excess` of the deliveries that wait for their
 * first attempt, oldest first, and fails them with the reason `expired`, except those whose message has expired.
 * Appends the webhook id and the delivery id of each failed delivery to `expired`.
 *
 * Outer values: `now`, `work`, and the argument `retentionMs` of `queue/publish`.
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
  lazyFunction: 'expireQueued(accountId, webhookId, excess, expired)',
  body: `
  local webhook, changes = accountId .. '/' .. webhookId, {}
  local cursor, logUntilMs = unpack(redis.call('HMGET', keyOf('webhook', webhook), 'cursor', 'logUntilMs'))
  local queue = {cursor = tonumber(cursor or 1), logUntilMs = logUntilMs}
  local first, count = queue.cursor, math.min(excess, ${MAX_EXPIRED})
  -- Counts \`count\` for this webhook, instead of the 1 that \`queue/publish\` has counted for it.
  work = work + count - 1
  local entries = moveToLog(webhook, queue, count, now + retentionMs, changes)
  -- Claims trim the log too, but a disabled webhook is never claimed. This call removes up to two expired entries for
  -- each entry that it has moved, so that the log shrinks to the entries within the retention.
  trimLog(webhook, queue, changes, 2 * count)
  saveChanges(webhook, changes)
  for index, entry in ipairs(entries) do
    local enteredAt, id = parseEntry(entry)
    local createdAt, expiresAtMs = storedMessageTimes(accountId, id)
    -- Otherwise the message has expired, or was published again under its id, with a later entry for the new message.
    if createdAt == enteredAt and now < expiresAtMs then
      local delivery = newDelivery(first + index - 1, createdAt, expiresAtMs)
      delivery.state, delivery.reason = 'failed', 'expired'
      saveDelivery(webhook, id, delivery)
      expired[#expired + 1] = webhookId
      expired[#expired + 1] = id
    end
  end
`,
});
