import { defineFragment } from '../../../define-fragment.ts';
import { RECORD_FAILURE } from './record-failure.ts';
import { INDEX_DELIVERY } from './save-delivery.ts';

/**
 * `endFailed(state, id, delivery, failed)`: applies a failed attempt: `failed` has its `kind` (`failed`: no attempt is
 * left; `retry`; `not_counted`), `reason`, `delayMs` until the next attempt, and `disableAfterMs`. Changes `delivery`,
 * and `state` of the webhook: when the webhook is due (`nextMs`) and whether it is disabled. Returns the reason for
 * which the attempt disables the webhook, or empty.
 */
export const END_FAILED = defineFragment({
  uses: [RECORD_FAILURE, INDEX_DELIVERY],
  rareFunction: 'endFailed(state, id, delivery, failed)',
  body: `
  local webhook = state.webhook
  local disabledBy = ''
  if failed.kind ~= 'not_counted' then
    disabledBy = recordFailure(webhook, state.failingSinceMs, state.isDisabled, delivery.createdAt, failed.reason,
      failed.disableAfterMs)
    state.failingSinceMs = state.failingSinceMs or now
    if disabledBy ~= '' then state.isDisabled = true end
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
  state.nextMs = math.min(state.nextMs or math.huge, now + failed.delayMs)
  return disabledBy
`,
});
