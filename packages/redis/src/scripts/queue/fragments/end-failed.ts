import { ATTEMPTS_KEPT } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';
import { NOTE_FAILURE } from '../../deliveries/fragments/note-failure.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `endFailed(state, id, delivery, failed)`: an attempt failed. Changes `delivery`, and `state` of its webhook: when it
 * is due (`nextMs`), whether it is disabled now. Answers why this disables it, or nothing.
 */
export const END_FAILED = defineFragment({
  uses: [KEY_OF, DIGITS, NOTE_FAILURE],
  rareFunction: 'endFailed(state, id, delivery, failed)',
  body: `
  local webhook = state.webhook
  local _, count = delivery.attempts:gsub('\\n', '')
  for _ = ${ATTEMPTS_KEPT} + 1, count do delivery.attempts = delivery.attempts:gsub('^\\n[^\\n]*', '', 1) end
  if failed.backoffMs > 0 and now + failed.backoffMs > state.backoffUntilMs then
    state.backoffUntilMs = now + failed.backoffMs
    redis.call('HSET', keyOf('webhook', webhook), 'backoffUntilMs', digits(state.backoffUntilMs))
  end
  local disabledBy = ''
  if failed.kind ~= 'not_counted' then
    disabledBy = noteFailure(webhook, state.failingSinceMs, state.isDisabled, delivery.createdAtMs, failed.reason,
      failed.disableAfterMs)
    state.failingSinceMs = state.failingSinceMs or now
    if disabledBy ~= '' then state.isDisabled = true end
  end
  if failed.kind == 'failed' then
    delivery.state, delivery.reason = 'failed', failed.reason
    redis.call('ZADD', keyOf('failed', webhook), digits(delivery.createdAtMs), id)
    return disabledBy
  end
  delivery.state = 'waiting'
  if failed.kind == 'retry' then
    delivery.failures, delivery.notCounted = delivery.failures + 1, 0
  else
    delivery.notCounted = delivery.notCounted + 1
  end
  redis.call('ZADD', keyOf('retries', webhook), digits(now + failed.delayMs), id)
  state.nextMs = math.min(state.nextMs or math.huge, now + failed.delayMs)
  return disabledBy
`,
});
