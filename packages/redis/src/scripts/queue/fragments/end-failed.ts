import { defineFragment } from '../../../define-fragment.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { INDEX_DELIVERY } from './save-delivery.ts';

/**
 * `endFailed(state, id, delivery, failed)`: applies a failed attempt. `failed` has its `kind` (`failed`: the delivery
 * has failed; `retry`; `not_counted`), `reason`, `delayMs` until the next attempt, and `disableAfterMs`. Changes
 * `delivery`, whose text the caller writes, and `state`, which `queue/complete` keeps for the webhook: `isDisabled`,
 * `failingSinceMs`, and when the webhook is due (`dueAtMs`). Returns the reason for which the attempt disables the
 * webhook, or empty.
 *
 * Outer values: `now`.
 */
export const END_FAILED = defineFragment({
  uses: [CHANGES, INDEX_DELIVERY],
  lazyFunction: 'endFailed(state, id, delivery, failed)',
  body: `
  local webhook, changes, disabledBy = state.webhook, {}, ''
  if failed.kind ~= 'not_counted' then
    if not state.failingSinceMs then
      state.failingSinceMs = now
      change(changes, 'failingSinceMs', now)
    end
    local function isLongAgo(sinceMs) return now - tonumber(sinceMs) >= failed.disableAfterMs end
    -- A delivery that will be retried disables the webhook only if it is old. Otherwise, after days without deliveries,
    -- the first failure of a new one would disable the webhook.
    local isFailedOrOld = failed.kind == 'failed' or isLongAgo(delivery.createdAt)
    if not state.isDisabled then
      if failed.reason == 'gone' then disabledBy = 'gone'
      elseif isLongAgo(state.failingSinceMs) and isFailedOrOld then disabledBy = 'failing' end
    end
    if disabledBy ~= '' then
      state.isDisabled = true
      change(changes, 'disabledAtMs', now)
      change(changes, 'disabledReason', disabledBy)
    end
    saveChanges(webhook, changes)
  end
  if failed.kind == 'failed' then
    delivery.state, delivery.reason = 'failed', failed.reason
    indexDelivery(webhook, id, delivery)
    return disabledBy
  end
  delivery.state = 'waiting'
  if failed.kind == 'retry' then
    delivery.failures, delivery.notCounted = delivery.failures + 1, 0
  else
    delivery.notCounted = delivery.notCounted + 1
  end
  indexDelivery(webhook, id, delivery, now + failed.delayMs)
  state.dueAtMs = math.min(state.dueAtMs or math.huge, now + failed.delayMs)
  return disabledBy
`,
});
