import type { FinishOutcome, FinishRequest, Verdict } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { parseNext, serialiseResponse, serialiseResult } from '../../delivery-record.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { parseDisabledReason } from '../../webhook-record.ts';
import { DIGITS } from '../fragments/digits.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { HOLD } from './fragments/hold.ts';
import { LEAVE_IN_FLIGHT } from './fragments/leave-in-flight.ts';
import { LOG_ATTEMPT } from './fragments/log-attempt.ts';
import { MARK_DEAD } from './fragments/mark-dead.ts';
import { NEXT_IN_LINE } from './fragments/next-in-line.ts';
import { NOTE_FAILURE } from './fragments/note-failure.ts';
import { PAUSE_END } from './fragments/pause-end.ts';
import { SCHEDULE } from './fragments/schedule.ts';

/**
 * Ends an attempt.
 *
 * `verdict` is its kind; `reason` is empty but for `dead`, `delayMs` 0 where no other attempt is to come.
 * Outcomes: `finished`, with the state, why the webhook is disabled by this (empty: it is not), and who is next (id,
 * run, delay; the id empty: nobody); `stale`.
 *
 * The number of the attempt is the fence: a process that was stopped past its lease, and goes on when another
 * has long begun the next one, changes nothing. A ZREM comes first, so that a full Redis refuses none of this: an
 * attempt whose end was refused would be made again.
 */
const script = defineScript({
  name: 'finish-delivery',
  batched: true,
  keys: ['root'],
  args: {
    webhook: 'text',
    deliveryId: 'text',
    attempt: 'text',
    verdict: 'text',
    delayMs: 'number',
    reason: 'text',
    result: 'text',
    response: 'text',
    disableAfterMs: 'number',
    pauseMs: 'number',
    maxInFlight: 'number',
  },
  uses: [
    KEY_OF,
    DIGITS,
    LEAVE_IN_FLIGHT,
    PAUSE_END,
    LOG_ATTEMPT,
    SCHEDULE,
    NOTE_FAILURE,
    MARK_DEAD,
    HOLD,
    NEXT_IN_LINE,
  ],
  lua: `
local deliveryKey = keyOf('delivery', webhook .. '/' .. deliveryId)
local state, latestAttempt, expiresAtMs, sequence, startedAtMs, triesBefore, createdAtMs = unpack(
  redis.call('HMGET', deliveryKey,
    'state', 'attempt', 'expiresAtMs', 'sequence', 'startedAtMs', 'triesBefore', 'createdAtMs'))
if state ~= 'sending' or latestAttempt ~= attempt or now >= tonumber(expiresAtMs) then
  return answer('stale')
end
local event, disabledAtMs, failingSinceMs, parked, activeMs, pausedUntilMs = unpack(
  redis.call('HMGET', keyOf('webhook', webhook),
    'event', 'disabledAtMs', 'failingSinceMs', 'parked', 'activeMs', 'pausedUntilMs'))
if not event then return answer('stale') end
leaveInFlight(webhook, deliveryId)

local function pause()
  local endMs = pauseEnd(pausedUntilMs)
  -- While it was in flight a pause ended, perhaps as another receiver is asked from now on.
  if tonumber(startedAtMs) < endMs and endMs <= now then return end
  if now + pauseMs <= endMs then return end
  redis.call('HSET', keyOf('webhook', webhook), 'pausedUntilMs', digits(now + pauseMs))
end
if pauseMs > 0 then pause() end
local disabledBy = ''
if verdict == 'delivered' then
  if failingSinceMs then redis.call('HDEL', keyOf('webhook', webhook), 'failingSinceMs') end
elseif verdict ~= 'excused' then
  disabledBy = noteFailure(webhook, failingSinceMs, disabledAtMs, createdAtMs, reason, disableAfterMs)
end
local isDisabled = disabledAtMs or disabledBy ~= ''
local function finished(nextState)
  if isDisabled or tonumber(parked or 0) == 0 then return answer('finished', nextState, disabledBy, '', 0, 0) end
  return answer('finished', nextState, disabledBy, nextInLine(webhook, maxInFlight))
end
local function log(...) logAttempt(deliveryKey, tonumber(attempt), startedAtMs, result, response, ...) end

if verdict == 'delivered' then
  log('state', 'delivered')
  return finished('delivered')
end
if verdict == 'dead' then
  log()
  markDead(webhook, deliveryId, reason)
  return finished('dead')
end
triesBefore = tonumber(triesBefore or 0) + (verdict == 'retry' and 1 or 0)
log('state', 'waiting', 'notBeforeMs', now + delayMs, 'triesBefore', triesBefore)
if isDisabled then
  hold(webhook, deliveryId, sequence, expiresAtMs)
  return finished('held')
end
schedule(webhook, deliveryId, now + delayMs, activeMs)
return finished('waiting')
`,
});

export async function finishDelivery(
  call: CallScript,
  keys: WebhookKeys,
  request: FinishRequest,
): Promise<FinishOutcome> {
  const { result, verdict } = request;
  const reply = await call(script, keys, {
    webhook: webhookName(request),
    deliveryId: request.deliveryId,
    attempt: String(request.attempt),
    verdict: verdict.kind,
    delayMs: delayOf(verdict),
    reason: verdict.kind === 'dead' ? verdict.reason : '',
    result: serialiseResult(result),
    response: serialiseResponse(result),
    disableAfterMs: request.disableAfterMs,
    pauseMs: Math.ceil(request.pauseMs),
    maxInFlight: request.maxInFlight,
  });
  const outcome = reply.outcome(['finished', 'stale']);
  if (outcome === 'stale') return { outcome };
  const state = reply.outcome(['delivered', 'waiting', 'held', 'dead']);
  return { outcome, state, disabled: parseDisabledReason(reply), next: parseNext(reply, request) };
}

function delayOf(verdict: Verdict): number {
  return verdict.kind === 'retry' || verdict.kind === 'excused' ? Math.ceil(verdict.delayMs) : 0;
}
