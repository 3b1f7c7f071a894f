import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { ACCOUNT_OF } from '../../webhooks/fragments/account-of.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { LOG_ENTRY_TEXT } from './log-entry.ts';
import { STORED_MESSAGE_TIMES } from './message.ts';
import { REMOVE_DELIVERIES } from './remove-deliveries.ts';

/**
 * `trimLog(webhook, queue, changes, most)`: removes up to `most` entries of the log, then of `fresh`, oldest first,
 * while their messages have expired. If the retention was shortened, newer entries stay until those before them expire.
 * `queue` has `cursor`, which is advanced.
 *
 * Outer values: `now`.
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
  lazyFunction: 'trimLog(webhook, queue, changes, most)',
  body: `
  local accountId = accountOf(webhook)
  -- Returns how many entries it has removed, and whether the list is empty now.
  local function trim(kind, most)
    local entries, expiredIds, trimmed = redis.call('LRANGE', keyOf(kind, webhook), 0, most - 1), {}, 0
    for _, entry in ipairs(entries) do
      local enteredAt, id = parseEntry(entry)
      local createdAt, expiresAtMs = storedMessageTimes(accountId, id)
      local isLive = createdAt and now < expiresAtMs
      if isLive and createdAt == enteredAt then break end
      -- If the id was published again, the stored delivery belongs to the later message.
      if not isLive then expiredIds[#expiredIds + 1] = id end
      trimmed = trimmed + 1
    end
    if trimmed > 0 then
      removeDeliveries(webhook, expiredIds)
      redis.call('LTRIM', keyOf(kind, webhook), trimmed, -1)
    end
    return trimmed, trimmed == #entries and trimmed < most
  end
  local trimmed, isLogEmpty = trim('log', most)
  local trimmedFresh = isLogEmpty and trim('fresh', most - trimmed) or 0
  if trimmedFresh == 0 then return end
  queue.cursor = queue.cursor + trimmedFresh
  change(changes, 'cursor', digits(queue.cursor))
`,
});
