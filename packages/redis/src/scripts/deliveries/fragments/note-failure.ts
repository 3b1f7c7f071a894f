import { defineFragment } from '../../../define-fragment.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';

/**
 * `noteFailure(webhook, failingSinceMs, isDisabled, isGone, disableAfterMs)`: an attempt of a webhook failed. Answers
 * why that disables the webhook: `gone`, `failing`, or empty where it does not. `failingSinceMs` is that of its hash.
 */
export const NOTE_FAILURE = defineFragment({
  uses: [CHANGES],
  rareFunction: 'noteFailure(webhook, failingSinceMs, isDisabled, isGone, disableAfterMs)',
  body: `
  local disabledBy, changes = '', {}
  if not failingSinceMs then change(changes, 'failingSinceMs', now) end
  if not isDisabled then
    local isFailing = now - tonumber(failingSinceMs or now) >= disableAfterMs
    disabledBy = isGone and 'gone' or isFailing and 'failing' or ''
  end
  if disabledBy ~= '' then
    change(changes, 'disabledAtMs', now)
    change(changes, 'disabledReason', disabledBy)
  end
  saveChanges(webhook, changes)
  return disabledBy
`,
});
