import type { FinishOutcome, FinishRequest, Verdict } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { parseNext, serialiseResponse, serialiseResult } from '../../delivery-record.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { parseDisabledReason } from '../../webhook-record.ts';
import { KEEP_UNTIL } from '../fragments/keep-until.ts';
import { CHANGES } from '../webhooks/fragments/changes.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { COUNTED_LINES } from './fragments/counted-lines.ts';
import { HOLD } from './fragments/hold.ts';
import { LEAVE_IN_FLIGHT } from './fragments/leave-in-flight.ts';
import { LINES } from './fragments/lines.ts';
import { LOG_ATTEMPT } from './fragments/log-attempt.ts';
import { MARK_DEAD } from './fragments/mark-dead.ts';
import { NEXT_IN_LINE } from './fragments/next-in-line.ts';
import { RATE } from './fragments/rate.ts';
import { SCHEDULE } from './fragments/schedule.ts';

/**
 * Ends an attempt.
 *
 * `verdict` is its kind; `reason` is empty but for `dead`, `delayMs` 0 where no other attempt is to come.
 * Outcomes: `finished`, with the state, why the webhook is disabled by this (empty: it is not), and who is next (id,
 * run, delay; the id empty: nobody); `stale`.
 *
 * The number of the attempt is the fence: a process that was stopped past its lease, and goes on when another
 * has long begun anew, changes nothing. A ZREM comes first, so that a full Redis refuses none of this: an
 * attempt whose end was refused would be made again.
 */
const script = defineScript({
  name: 'finish-delivery',
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
    maxInFlight: 'number',
  },
  lua: `
${KEY_OF}
local deliveryKey = keyOf('delivery', webhook .. '/' .. deliveryId)
local state, latestAttempt, expiresAtMs, sequence, startedAtMs, triesBefore = unpack(
  redis.call('HMGET', deliveryKey, 'state', 'attempt', 'expiresAtMs', 'sequence', 'startedAtMs', 'triesBefore'))
if state ~= 'sending' or latestAttempt ~= attempt or now >= tonumber(expiresAtMs) then
  return answer('stale')
end
local rateLimit, rateLimitPeriod, rateMarginMs, disabledAtMs, failingSinceMs, wasRetryLast, parked, activeMs =
  unpack(redis.call('HMGET', keyOf('webhook', webhook), 'rateLimit', 'rateLimitPeriod', 'rateMarginMs',
    'disabledAtMs', 'failingSinceMs', 'wasRetryLast', 'parked', 'activeMs'))
if not rateLimit then return answer('stale') end
${LEAVE_IN_FLIGHT}
leaveInFlight(webhook, deliveryId)

local isDisabled, disabledBy = disabledAtMs, ''
if verdict == 'delivered' then
  if failingSinceMs then redis.call('HDEL', keyOf('webhook', webhook), 'failingSinceMs') end
elseif verdict ~= 'excused' then
${CHANGES}
  if not failingSinceMs then change('failingSinceMs', now) end
  if not isDisabled then
    if reason == 'gone' then
      disabledBy = 'gone'
    elseif now - tonumber(failingSinceMs or now) >= disableAfterMs then
      disabledBy = 'failing'
    end
  end
  if disabledBy ~= '' then
    isDisabled = true
    change('disabledAtMs', now)
    change('disabledReason', disabledBy)
  end
  saveChanges(webhook)
end

local function next()
  if isDisabled or tonumber(parked or 0) == 0 then return '', 0, 0 end
${RATE}
${LINES}
${NEXT_IN_LINE}
  local rate = rateOf(webhook, rateLimit, rateLimitPeriod, tonumber(rateMarginMs or 0))
  local line = {webhook = webhook, rate = rate, wasRetryLast = wasRetryLast == '1', activeMs = activeMs}
  return nextInLine(line, maxInFlight)
end

${LOG_ATTEMPT}
local function log(...) logAttempt(deliveryKey, tonumber(attempt), startedAtMs, result, response, ...) end
if verdict == 'delivered' then
  log('state', 'delivered')
  return answer('finished', 'delivered', disabledBy, next())
end
${KEEP_UNTIL}
if verdict == 'dead' then
${MARK_DEAD}
  log()
  markDead(webhook, deliveryId, reason)
  return answer('finished', 'dead', disabledBy, next())
end
triesBefore = tonumber(triesBefore or 0) + (verdict == 'retry' and 1 or 0)
log('state', 'waiting', 'notBeforeMs', now + delayMs, 'triesBefore', triesBefore)
if isDisabled then
${COUNTED_LINES}
${HOLD}
  hold(webhook, deliveryId, sequence, expiresAtMs)
  return answer('finished', 'held', disabledBy, next())
end
${SCHEDULE}
schedule(webhook, deliveryId, now + delayMs, activeMs)
return answer('finished', 'waiting', disabledBy, next())
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
