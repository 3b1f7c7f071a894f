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
  local function isLongAgo(sinceMs) return now - tonumber(sinceMs) >= afterMs end
  local isWebhookFailing = isLongAgo(failingSinceMs or now)
  -- After days without deliveries, a single failure of a new one, which will be retried, disables nothing.
  local isDeliveryHopeless = reason ~= '' or isLongAgo(createdAt)
  if not isDisabled then
    if reason == 'gone' then disabledBy = 'gone'
    elseif isWebhookFailing and isDeliveryHopeless then disabledBy = 'failing' end
  end
  if disabledBy ~= '' then
    change(changes, 'disabledAtMs', now)
    change(changes, 'disabledReason', disabledBy)
  end
  saveChanges(webhook, changes)
  return disabledBy
`,
});
