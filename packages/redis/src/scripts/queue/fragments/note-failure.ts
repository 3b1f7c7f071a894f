import { defineFragment } from '../../../define-fragment.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';

/**
 * `noteFailure(webhook, failingSinceMs, isDisabled, createdAtMs, reason, afterMs)`: an attempt of a webhook failed, and
 * its delivery, which was created at that time, is given up for a reason, or is not (empty). Answers why that disables
 * the webhook: `gone`, `failing`, or empty where it does not. `failingSinceMs` is that of its hash, `afterMs` how long
 * it may have nothing but failures.
 */
export const NOTE_FAILURE = defineFragment({
  uses: [CHANGES],
  rareFunction: 'noteFailure(webhook, failingSinceMs, isDisabled, createdAtMs, reason, afterMs)',
  body: `
  local disabledBy, changes = '', {}
  if not failingSinceMs then change(changes, 'failingSinceMs', now) end
  local function isLong(sinceMs) return now - tonumber(sinceMs) >= afterMs end
  if not isDisabled then
    local isFailing = isLong(failingSinceMs or now) and (reason ~= '' or isLong(createdAtMs))
    disabledBy = reason == 'gone' and 'gone' or isFailing and 'failing' or ''
  end
  if disabledBy ~= '' then
    change(changes, 'disabledAtMs', now)
    change(changes, 'disabledReason', disabledBy)
  end
  saveChanges(webhook, changes)
  return disabledBy
`,
});
