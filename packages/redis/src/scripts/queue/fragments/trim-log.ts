import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { LOG_ENTRY_TEXT } from './log-entry.ts';
import { MESSAGE_TIMES } from './message.ts';
import { REMOVE_DELIVERY } from './remove-delivery.ts';

/**
 * How many entries one trim removes at most: more than are added between two trims (`TRIM_EVERY` of `queue/publish`),
 * so that the log does not grow.
 */
const MAX_TRIMMED = 32;

/**
 * `trimLog(webhook, first, changes)`: removes entries of the log, oldest first, while their messages have expired. If
 * the retention was shortened, newer entries stay until those before them expire.
 */
export const TRIM_LOG = defineFragment({
  uses: [KEY_OF, DIGITS, CHANGES, REMOVE_DELIVERY, LOG_ENTRY_TEXT, MESSAGE_TIMES],
  rareFunction: 'trimLog(webhook, first, changes)',
  body: `
  local accountId, trimmed = webhook:match('^([^/]*)/'), 0
  for _, entry in ipairs(redis.call('LRANGE', keyOf('log', webhook), 0, ${MAX_TRIMMED - 1})) do
    local enteredAt, id = parseEntry(entry)
    local createdAt, expiresAtMs = messageTimes(redis.call('GETRANGE', ownedKey('message', accountId, id), 0, 63))
    local isStored = createdAt and now < expiresAtMs
    if isStored and createdAt == enteredAt then break end
    -- If the id was published again, the stored delivery belongs to the later message.
    if not isStored then removeDelivery(webhook, id) end
    trimmed = trimmed + 1
  end
  if trimmed == 0 then return end
  -- An entry takes about a quarter of the time of an average call.
  work = work + trimmed / 4
  redis.call('LTRIM', keyOf('log', webhook), trimmed, -1)
  change(changes, 'logFirst', digits(first + trimmed))
`,
});
