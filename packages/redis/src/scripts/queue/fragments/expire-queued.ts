import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './delivery-text.ts';
import { LOG_ENTRY_TEXT } from './log-entry.ts';
import { SAVE_DELIVERY } from './save-delivery.ts';
import { STORED_MESSAGE_TIMES } from './stored-message-times.ts';

/** How many deliveries one call expires at most, so that a queue reaches a lowered limit in steps. */
const MAX_EXPIRED = 64;

/**
 * `expireQueued(webhook, first, cursor, excess, changes, expired)`: fails the oldest deliveries that wait for their
 * first attempt, with the reason `expired`, and skips those whose message has expired. `first` is the sequence of the
 * first entry of the log, and `cursor` the sequence of the oldest entry that was never claimed. Appends the webhook id
 * and the delivery id of each failed delivery to `expired`.
 */
export const EXPIRE_QUEUED = defineFragment({
  uses: [
    KEY_OF,
    DIGITS,
    CHANGES,
    DELIVERY_TEXT,
    LOG_ENTRY_TEXT,
    STORED_MESSAGE_TIMES,
    SAVE_DELIVERY,
  ],
  rareFunction: 'expireQueued(webhook, first, cursor, excess, changes, expired)',
  body: `
  -- '7/wh_1' is the webhook 'wh_1' of the account '7'.
  local accountId, webhookId = webhook:match('^([^/]*)/(.*)$')
  local count = math.min(excess, ${MAX_EXPIRED})
  local entries = redis.call('LRANGE', keyOf('log', webhook), cursor - first, cursor - first + count - 1)
  work = work + count - 1
  for index, entry in ipairs(entries) do
    local enteredAt, id = parseEntry(entry)
    local createdAt, expiresAtMs = storedMessageTimes(accountId, id)
    if createdAt == enteredAt then
      local delivery = newDelivery(cursor + index - 1, createdAt, expiresAtMs)
      delivery.state, delivery.reason = 'failed', 'expired'
      saveDelivery(webhook, id, delivery)
      expired[#expired + 1] = webhookId
      expired[#expired + 1] = id
    end
  end
  change(changes, 'cursor', digits(cursor + count))
`,
});
