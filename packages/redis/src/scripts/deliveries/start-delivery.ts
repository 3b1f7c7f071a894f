import {
  LEASE_SLACK_MS,
  MAX_RATE_LIMIT,
  RATE_LIMIT_PERIOD_MS,
  type StartOutcome,
  type StartRequest,
} from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { parseNext } from '../../delivery-record.ts';
import type { CallScript } from '../../script-caller.ts';
import type { ScriptReply } from '../../script-reply.ts';
import type { WebhookKeys } from '../../webhook-keyspace.ts';
import { parseSecrets } from '../../webhook-record.ts';
import { KEEP_UNTIL } from '../fragments/keep-until.ts';
import { CHANGES } from '../webhooks/fragments/changes.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { ACTIVATE } from './fragments/activate.ts';
import { COUNTED_LINES } from './fragments/counted-lines.ts';
import { FORGET } from './fragments/forget.ts';
import { HOLD } from './fragments/hold.ts';
import { JOIN_RETRIES } from './fragments/join-retries.ts';
import { KEEP_KNOWN } from './fragments/keep-known.ts';
import { LEAVE_IN_FLIGHT } from './fragments/leave-in-flight.ts';
import { LINE_UP } from './fragments/line-up.ts';
import { LINES } from './fragments/lines.ts';
import { LOG_ATTEMPT } from './fragments/log-attempt.ts';
import { MARK_DEAD } from './fragments/mark-dead.ts';
import { BODY_OF } from './fragments/message-text.ts';
import { NEXT_IN_LINE } from './fragments/next-in-line.ts';
import { OBSTACLE } from './fragments/obstacle.ts';
import { RATE } from './fragments/rate.ts';
import { SCHEDULE } from './fragments/schedule.ts';

/** How much longer the list of starts lives than its last start counts. `keepKnown` says how long that may be. */
const STARTS_LINGER_MS = RATE_LIMIT_PERIOD_MS.minute;

/** How many starts come between two clean-ups of the list of starts. */
const TRIM_EVERY = 16;

/**
 * Begins an attempt, if it may begin now.
 *
 * Outcomes: `started`, with the attempt, the tries before, the time, body, URL, secrets (JSON), and who is next (id, run,
 * delay; an empty id: nobody); `deferred`, with the time to wait, by what, and who is next; `held`; `poisoned`, with who is
 * next; `over`.
 *
 * Whether there is room, and taking it, is one script: apart, every process would find the same start free. An attempt
 * whose lease is over is counted as lost here, by the next start of its delivery, so that it is counted once. One that
 * was too late (`withdrawnStartAtMs`; empty: none) is withdrawn. A removal comes first, so that a full Redis refuses
 * none of this, and what waits in it can be sent.
 */
const script = defineScript({
  name: 'start-delivery',
  keys: ['root'],
  args: {
    accountId: 'text',
    webhookId: 'text',
    deliveryId: 'text',
    run: 'text',
    leaseMs: 'number',
    maxInFlight: 'number',
    maxLostAttempts: 'number',
    rateMarginMs: 'number',
    withdrawnStartAtMs: 'text',
  },
  lua: `
${KEY_OF}
local webhook = accountId .. '/' .. webhookId
local deliveryKey = keyOf('delivery', webhook .. '/' .. deliveryId)
local inFlightKey = keyOf('inFlight', webhook)

local state, latestRun, expiresAtMs, sequence, attempt, triesBefore, lost, notBeforeMs, startedAtMs =
  unpack(redis.call('HMGET', deliveryKey,
    'state', 'run', 'expiresAtMs', 'sequence', 'attempt', 'triesBefore', 'lost', 'notBeforeMs', 'startedAtMs'))
if not state or latestRun ~= run or now >= tonumber(expiresAtMs) then return answer('over') end
if state == 'delivered' or state == 'dead' then return answer('over') end
local url, secrets, rateLimit, rateLimitPeriod, disabledAtMs, wasRetryLast, retries, parked, activeMs, startsUntilMs =
  unpack(redis.call('HMGET', keyOf('webhook', webhook), 'url', 'secrets', 'rateLimit', 'rateLimitPeriod',
    'disabledAtMs', 'wasRetryLast', 'retries', 'parked', 'activeMs', 'startsUntilMs'))
if not url then return answer('over') end
attempt, notBeforeMs = tonumber(attempt or 0), tonumber(notBeforeMs or 0)
${RATE}
${LINES}
${OBSTACLE}
local rate = rateOf(webhook, rateLimit, rateLimitPeriod, rateMarginMs)
local line = {webhook = webhook, rate = rate, wasRetryLast = wasRetryLast == '1',
  retries = tonumber(retries or 0), parked = tonumber(parked or 0), activeMs = activeMs}
local function next()
  if disabledAtMs or line.parked == 0 then return '', 0, 0 end
${NEXT_IN_LINE}
  return nextInLine(line, maxInFlight)
end

local hadItsTurn = state == 'sending' and startedAtMs == withdrawnStartAtMs
if state == 'sending' then
${LEAVE_IN_FLIGHT}
${LOG_ATTEMPT}
${SCHEDULE}
  local leaseEndsAtMs = tonumber(redis.call('ZSCORE', inFlightKey, deliveryId)
    or redis.call('HGET', deliveryKey, 'leaseEndedAtMs') or 0)
  if now < leaseEndsAtMs and not hadItsTurn then
    return answer('deferred', leaseEndsAtMs - now, 'sending', '', 0, 0)
  end
  leaveInFlight(webhook, deliveryId)
  if hadItsTurn then
    redis.call('LREM', rate.startsKey, 1, withdrawnStartAtMs)
    -- It may be the last of its list, which takes its time to live with it.
    redis.call('HDEL', keyOf('webhook', webhook), 'startsUntilMs')
    startsUntilMs = nil
    attempt = attempt - 1
    state = attempt == 0 and run == '1' and 'queued' or 'waiting'
    redis.call('HSET', deliveryKey, 'state', state, 'attempt', attempt)
    if attempt == 0 then redis.call('HDEL', deliveryKey, 'attempt') end
    if state == 'queued' then redis.call('ZADD', keyOf(state, webhook), sequence, deliveryId) end
  else
    local durationMs = math.max(0, leaseEndsAtMs - startedAtMs)
    state, notBeforeMs, lost = 'waiting', now, tonumber(lost or 0) + 1
    logAttempt(deliveryKey, attempt, startedAtMs, '[null,' .. durationMs .. ',"lost"]', 'null',
      'state', state, 'notBeforeMs', now, 'lost', lost)
    if lost >= maxLostAttempts then
${KEEP_UNTIL}
${MARK_DEAD}
      markDead(webhook, deliveryId, 'poison')
      return answer('poisoned', next())
    end
  end
  schedule(webhook, deliveryId, now, line.activeMs)
end

if state == 'held' then return answer('held') end
if disabledAtMs then
${KEEP_UNTIL}
${COUNTED_LINES}
${HOLD}
  hold(webhook, deliveryId, sequence, expiresAtMs)
  return answer('held')
end
local isFirst = state == 'queued'
if not isFirst and now < notBeforeMs then
  return answer('deferred', notBeforeMs - now, 'schedule', '', 0, 0)
end

local inFlight = inFlightOf(webhook)
local rank = hadItsTurn and 0 or rankOf(line, deliveryId, isFirst)
local function obstacle() return obstacleTo(rate, rank, inFlight, maxInFlight) end
local by = obstacle()
if by and rank > 0 then
${COUNTED_LINES}
${FORGET}
  local dropped = dropForgotten(webhook, 'queued')
  if line.retries > 0 then dropped = dropped + dropForgotten(webhook, 'retries') end
  if dropped > 0 then
    line.retries = nil
    rank = rankOf(line, deliveryId, isFirst)
    by = obstacle()
  end
end
if by then
${COUNTED_LINES}
${JOIN_RETRIES}
${LINE_UP}
  -- A removal first, as said above: it is scheduled anew.
  redis.call('ZREM', keyOf('due', webhook), deliveryId)
  if not isFirst then
    joinRetries(webhook, deliveryId)
    line.retries = nil
  end
  if hadItsTurn then rank = rankOf(line, deliveryId, isFirst) end
  local limits = {maxInFlight = maxInFlight, leaseMs = leaseMs}
  if by == 'in_flight' then line.parked = line.parked + 1 end
  local atMs = lineUp(line, {id = deliveryId, isFirst = isFirst, rank = rank}, by, limits)
  return answer('deferred', atMs - now, by, next())
end

local kind, parkedKind = linesOf(isFirst)
local message = redis.call('GET', keyOf('message', accountId .. '/' .. deliveryId))
if not message then return answer('over') end
redis.call('ZREM', keyOf('due', webhook), deliveryId)
if isFirst and line.parked == 0 then
  redis.call('ZREM', keyOf('queued', webhook), deliveryId)
elseif isFirst or line.retries ~= 0 then
${COUNTED_LINES}
  leave(kind, webhook, deliveryId)
  leave(parkedKind, webhook, deliveryId)
end
${CHANGES}
${KEEP_KNOWN}
${ACTIVATE}
${BODY_OF}
attempt = attempt + 1
redis.call('HSET', deliveryKey, 'state', 'sending', 'attempt', attempt, 'startedAtMs', now)
redis.call('ZADD', inFlightKey, now + leaseMs, deliveryId)
settleStarts(rate)
-- Of the longest period, whichever this is: it may be changed, and what started before counts.
local kept, keptMs = redis.call('LPUSH', rate.startsKey, now), ${RATE_LIMIT_PERIOD_MS.minute} + rateMarginMs
if kept % ${TRIM_EVERY} == 0 then
  -- Twice as many as have come, so that what a burst has left goes too.
  local oldest = startAt(rate, -2 * ${TRIM_EVERY})
  if oldest and (kept > ${MAX_RATE_LIMIT} + 2 * ${TRIM_EVERY} or now - oldest >= keptMs) then
    redis.call('LTRIM', rate.startsKey, 0, -1 - 2 * ${TRIM_EVERY})
  end
end
keepKnown('starts', webhook, startsUntilMs, now + keptMs, ${STARTS_LINGER_MS})
local lateMs = now + leaseMs - ${LEASE_SLACK_MS}
if activate(webhook, lateMs, line.activeMs) then change('activeMs', lateMs) end
if isFirst == line.wasRetryLast then change('wasRetryLast', isFirst and 0 or 1) end
saveChanges(webhook)
line.retries, line.wasRetryLast = nil, not isFirst
return answer('started', attempt, triesBefore or 0, now, bodyOf(message), url, secrets, next())
`,
});

export async function startDelivery(
  call: CallScript,
  keys: WebhookKeys,
  request: StartRequest,
): Promise<StartOutcome> {
  const reply = await call(script, keys, {
    accountId: String(request.accountId),
    webhookId: request.webhookId,
    deliveryId: request.deliveryId,
    run: String(request.run),
    leaseMs: request.leaseMs,
    maxInFlight: request.maxInFlight,
    maxLostAttempts: request.maxLostAttempts,
    rateMarginMs: request.rateMarginMs,
    withdrawnStartAtMs: String(request.withdrawnStartAtMs ?? ''),
  });
  const outcome = reply.outcome(['started', 'deferred', 'held', 'poisoned', 'over']);
  switch (outcome) {
    case 'started':
      return { outcome, ...parseStarted(reply), next: parseNext(reply, request) };
    case 'deferred':
      return {
        outcome,
        delayMs: reply.integer(),
        by: reply.outcome(['rate', 'in_flight', 'sending', 'schedule']),
        next: parseNext(reply, request),
      };
    case 'poisoned':
      return { outcome, next: parseNext(reply, request) };
    default:
      return { outcome };
  }
}

function parseStarted(reply: ScriptReply) {
  const attempt = reply.integer();
  const triesBefore = reply.integer();
  const startedAtMs = reply.integer();
  const body = reply.text();
  const url = reply.text();
  const secrets = parseSecrets(reply.text(), startedAtMs);
  return { attempt, triesBefore, startedAtMs, body, webhook: { url, secrets } };
}
