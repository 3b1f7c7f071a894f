import { defineFragment } from '../../../define-fragment.ts';
import { NOTE_FAILURE } from './note-failure.ts';
import { PLACE_DELIVERY } from './save-delivery.ts';

/**
 * `endFailed(state, id, delivery, failed)`: an attempt failed. Changes `delivery`, and `state` of its webhook: when it
 * is due (`nextMs`), whether it is disabled now. Answers why this disables it, or nothing.
 */
export const END_FAILED = defineFragment({
  uses: [NOTE_FAILURE, PLACE_DELIVERY],
  rareFunction: 'endFailed(state, id, delivery, failed)',
  body: `
  local webhook = state.webhook
  local disabledBy = ''
  if failed.kind ~= 'not_counted' then
    disabledBy = noteFailure(webhook, state.failingSinceMs, state.isDisabled, delivery.createdAtMs, failed.reason,
      failed.disableAfterMs)
    state.failingSinceMs = state.failingSinceMs or now
    if disabledBy ~= '' then state.isDisabled = true end
  end
  if failed.kind == 'failed' then
    delivery.state, delivery.reason = 'failed', failed.reason
    placeDelivery(webhook, id, delivery)
    return disabledBy
  end
  delivery.state = 'waiting'
  if failed.kind == 'retry' then
    delivery.failures, delivery.notCounted = delivery.failures + 1, 0
  else
    delivery.notCounted = delivery.notCounted + 1
  end
  placeDelivery(webhook, id, delivery, now + failed.delayMs)
  state.nextMs = math.min(state.nextMs or math.huge, now + failed.delayMs)
  return disabledBy
`,
});
