import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { FORGET_DELIVERY } from './forget-delivery.ts';
import { LOG_ENTRY_TEXT } from './log-entry.ts';
import { MESSAGE_TIMES } from './message.ts';

/** More than come in between two looks, so that the log keeps up. */
const MOST = 32;

/**
 * `trimLog(webhook, first, changes)`: takes the oldest deliveries out of the log whose messages have expired. Where the
 * retention was shortened, younger ones stay until those before them expire.
 */
export const TRIM_LOG = defineFragment({
  uses: [KEY_OF, DIGITS, CHANGES, FORGET_DELIVERY, LOG_ENTRY_TEXT, MESSAGE_TIMES],
  rareFunction: 'trimLog(webhook, first, changes)',
  body: `
  local accountId, trimmed = webhook:match('^([^/]*)/'), 0
  for _, entry in ipairs(redis.call('LRANGE', keyOf('log', webhook), 0, ${MOST - 1})) do
    local enteredAtMs, id = parseEntry(entry)
    local createdAtMs, expiresAtMs = messageTimes(redis.call('GETRANGE', keyOf('message', accountId .. '/' .. id), 0, 63))
    local isStored = createdAtMs and now < expiresAtMs
    if isStored and createdAtMs == enteredAtMs then break end
    -- What is stored under the id of one that has expired is its second life.
    if not isStored then forgetDelivery(webhook, id) end
    trimmed = trimmed + 1
  end
  if trimmed == 0 then return end
  -- Each takes about a quarter of what a call does.
  work = work + trimmed / 4
  redis.call('LTRIM', keyOf('log', webhook), trimmed, -1)
  change(changes, 'logFirst', digits(first + trimmed))
`,
});
