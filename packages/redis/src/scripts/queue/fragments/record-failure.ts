import { defineFragment } from '../../../define-fragment.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';

/**
 * `recordFailure(webhook, failingSinceMs, isDisabled, createdAt, reason, afterMs)`: records a failed attempt of a
 * webhook, and disables the webhook if necessary. `failingSinceMs` is the field of the webhook's hash, `createdAt`
 * the time of publishing, `reason` why the delivery has failed (empty: it will be retried), and `afterMs` the time of
 * continuous failure after which the webhook is disabled. Returns the reason for which the webhook was disabled, `gone`
 * or `failing`, or empty.
 */
export const RECORD_FAILURE = defineFragment({
  uses: [CHANGES],
  rareFunction: 'recordFailure(webhook, failingSinceMs, isDisabled, createdAt, reason, afterMs)',
  body: `
  local disabledBy, changes = '', {}
  if not failingSinceMs then change(changes, 'failingSinceMs', now) end
  local function isLong(sinceMs) return now - tonumber(sinceMs) >= afterMs end
  if not isDisabled then
    local isFailing = isLong(failingSinceMs or now) and (reason ~= '' or isLong(createdAt))
    if reason == 'gone' then disabledBy = 'gone' elseif isFailing then disabledBy = 'failing' end
  end
  if disabledBy ~= '' then
    change(changes, 'disabledAtMs', now)
    change(changes, 'disabledReason', disabledBy)
  end
  saveChanges(webhook, changes)
  return disabledBy
`,
});
