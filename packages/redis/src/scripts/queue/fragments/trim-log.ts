import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { ACCOUNT_OF } from '../../webhooks/fragments/account-of.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { LOG_ENTRY_TEXT } from './log-entry.ts';
import { REMOVE_DELIVERIES } from './remove-deliveries.ts';
import { STORED_MESSAGE_TIMES } from './stored-message-times.ts';

/** How many entries a claim or a list removes at most. */
export const MAX_TRIMMED = 500;

/**
 * `trimLog(webhook, first, changes, most)`: removes up to `most` entries of the log, oldest first, while their messages
 * have expired. If the retention was shortened, newer entries stay until those before them expire.
 */
export const TRIM_LOG = defineFragment({
  uses: [
    KEY_OF,
    ACCOUNT_OF,
    DIGITS,
    CHANGES,
    REMOVE_DELIVERIES,
    LOG_ENTRY_TEXT,
    STORED_MESSAGE_TIMES,
  ],
  rareFunction: 'trimLog(webhook, first, changes, most)',
  body: `
  local accountId, expiredIds, trimmed = accountOf(webhook), {}, 0
  for _, entry in ipairs(redis.call('LRANGE', keyOf('log', webhook), 0, most - 1)) do
    local enteredAt, id = parseEntry(entry)
    local createdAt, expiresAtMs = storedMessageTimes(accountId, id)
    local isStored = createdAt and now < expiresAtMs
    if isStored and createdAt == enteredAt then break end
    -- If the id was published again, the stored delivery belongs to the later message.
    if not isStored then expiredIds[#expiredIds + 1] = id end
    trimmed = trimmed + 1
  end
  if trimmed == 0 then return end
  removeDeliveries(webhook, expiredIds)
  -- An entry takes about a quarter of the time of an average call.
  work = work + trimmed / 4
  redis.call('LTRIM', keyOf('log', webhook), trimmed, -1)
  change(changes, 'logFirst', digits(first + trimmed))
`,
});
