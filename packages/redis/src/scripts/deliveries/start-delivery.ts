import { LEASE_SLACK_MS, type StartOutcome, type StartRequest } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { parseNext } from '../../delivery-record.ts';
import type { CallScript } from '../../script-caller.ts';
import type { ScriptReply } from '../../script-reply.ts';
import type { WebhookKeys } from '../../webhook-keyspace.ts';
import { parseSecrets } from '../../webhook-record.ts';
import { DIGITS } from '../fragments/digits.ts';
import { CHANGES } from '../webhooks/fragments/changes.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { ACTIVATE } from './fragments/activate.ts';
import { DEFER_START } from './fragments/defer-start.ts';
import { DROP_FROM_LINES } from './fragments/drop-from-lines.ts';
import { END_UNDER_WAY } from './fragments/end-under-way.ts';
import { FORGET } from './fragments/forget.ts';
import { HOLD } from './fragments/hold.ts';
import { LEAVE_LINES } from './fragments/leave-lines.ts';
import { LINES } from './fragments/lines.ts';
import { bodyOf } from './fragments/message-text.ts';
import { NEXT_IN_LINE } from './fragments/next-in-line.ts';
import { NOTE_START } from './fragments/note-start.ts';
import { OBSTACLE } from './fragments/obstacle.ts';
import { RATE } from './fragments/rate.ts';

/**
 * Admits an attempt, if it may start now.
 *
 * Outcomes: `started`, with the attempt, the tries before, the time, message, URL, secrets (JSON), and who is next (id,
 * run, delay; an empty id: nobody); `deferred`, with the time to wait, by what, and who is next; `held`; `poisoned`,
 * with who is next; `over`; `message_lost`, which is over too, with who is next.
 *
 * Whether there is room, and taking it, is one script: apart, every process would find the same start free. An attempt
 * whose lease is over is counted as lost here, by the next start of its delivery, so that it is counted once. One that
 * was too late (`withdrawnStartAtMs`; empty: none) is withdrawn. A removal comes first, so that a full Redis refuses
 * none of this, and what waits in it can be sent.
 */
const script = defineScript({
  name: 'start-delivery',
  batched: true,
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
  uses: [
    KEY_OF,
    DIGITS,
    RATE,
    LINES,
    OBSTACLE,
    CHANGES,
    NOTE_START,
    ACTIVATE,
    LEAVE_LINES,
    END_UNDER_WAY,
    HOLD,
    FORGET,
    DROP_FROM_LINES,
    DEFER_START,
    NEXT_IN_LINE,
  ],
  lua: `
local webhook = accountId .. '/' .. webhookId
local deliveryKey = keyOf('delivery', webhook .. '/' .. deliveryId)
local state, latestRun, expiresAtMs, sequence, attempts, triesBefore, notBeforeMs = unpack(redis.call('HMGET',
  deliveryKey, 'state', 'run', 'expiresAtMs', 'sequence', 'attempt', 'triesBefore', 'notBeforeMs'))
if not state or latestRun ~= run or now >= tonumber(expiresAtMs) then return answer('over') end
if state == 'delivered' or state == 'dead' then return answer('over') end
local url, secrets, rateLimit, rateLimitPeriod, disabledAtMs, wasRetryLast, retries, parked, activeMs, startsUntilMs,
  pausedUntilMs = unpack(redis.call('HMGET', keyOf('webhook', webhook), 'url', 'secrets', 'rateLimit', 'rateLimitPeriod',
    'disabledAtMs', 'wasRetryLast', 'retries', 'parked', 'activeMs', 'startsUntilMs', 'pausedUntilMs'))
if not url then return answer('over') end
local rate = rateOf(webhook, rateLimit, rateLimitPeriod, rateMarginMs, pausedUntilMs)
local line = {webhook = webhook, rate = rate, wasRetryLast = wasRetryLast == '1',
  retries = tonumber(retries or 0), parked = tonumber(parked or 0), activeMs = activeMs}
local function wakeNext()
  if disabledAtMs or line.parked == 0 then return '', 0, 0 end
  return nextInLine(webhook, maxInFlight, rateMarginMs)
end

local hadItsTurn = false
if state == 'sending' then
  local ended, stateAfter, attemptsAfter, leftMs = endUnderWay(line, deliveryId, maxLostAttempts, withdrawnStartAtMs)
  if ended == 'under_way' then return answer('deferred', leftMs, 'sending', '', 0, 0) end
  if ended == 'poisoned' then return answer('poisoned', wakeNext()) end
  hadItsTurn = ended == 'withdrawn'
  -- Its time had come, even by a clock that was set back: deferred until then, it would be scheduled nowhere.
  state, attempts, notBeforeMs = stateAfter, attemptsAfter, now
  if hadItsTurn then startsUntilMs = nil end
end

if state == 'held' then return answer('held') end
if disabledAtMs then
  hold(webhook, deliveryId, sequence, expiresAtMs)
  return answer('held')
end
local isFirst = state == 'queued'
if not isFirst and now < tonumber(notBeforeMs or 0) then
  return answer('deferred', notBeforeMs - now, 'schedule', '', 0, 0)
end

local inFlight = inFlightOf(webhook)
local function rankAndObstacle()
  local rank = hadItsTurn and 0 or rankOf(line, deliveryId, isFirst)
  return rank, obstacleTo(rate, rank, inFlight, maxInFlight)
end
local rank, obstacle = rankAndObstacle()
if obstacle and rank > 0 and dropFromLines(line) > 0 then rank, obstacle = rankAndObstacle() end
if obstacle then
  local delivery = {id = deliveryId, isFirst = isFirst, rank = not hadItsTurn and rank or nil}
  local atMs = deferStart(line, delivery, obstacle, {maxInFlight = maxInFlight, leaseMs = leaseMs})
  return answer('deferred', atMs - now, obstacle, wakeNext())
end

local message = redis.call('GET', keyOf('message', accountId .. '/' .. deliveryId))
if not message then
  -- Redis has lost it, which no sweep can see: what stays would be returned again and again, and keep its place in
  -- line.
  forget(webhook, deliveryId)
  return answer('message_lost', wakeNext())
end
redis.call('ZREM', keyOf('due', webhook), deliveryId)
leaveLines(line, deliveryId, isFirst)
local attempt = (attempts or 0) + 1
redis.call('HSET', deliveryKey, 'state', 'sending', 'attempt', digits(attempt), 'startedAtMs', digits(now))
redis.call('ZADD', keyOf('inFlight', webhook), digits(now + leaseMs), deliveryId)
local changes = {}
noteStart(changes, line, rateMarginMs, startsUntilMs)
local lateMs = now + leaseMs - ${LEASE_SLACK_MS}
if activate(webhook, lateMs, line.activeMs) then change(changes, 'activeMs', lateMs) end
if isFirst == line.wasRetryLast then change(changes, 'wasRetryLast', isFirst and 0 or 1) end
saveChanges(webhook, changes)
return answer('started', attempt, triesBefore or 0, now, message, url, secrets, wakeNext())
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
  const outcome = reply.outcome([
    'started',
    'deferred',
    'held',
    'poisoned',
    'message_lost',
    'over',
  ]);
  switch (outcome) {
    case 'started':
      return { outcome, ...parseStarted(reply), next: parseNext(reply, request) };
    case 'deferred':
      return {
        outcome,
        delayMs: reply.integer(),
        reason: reply.outcome(['rate', 'in_flight', 'sending', 'schedule']),
        next: parseNext(reply, request),
      };
    case 'poisoned':
      return { outcome, next: parseNext(reply, request) };
    case 'message_lost':
      return { outcome: 'over', next: parseNext(reply, request) };
    default:
      return { outcome };
  }
}

function parseStarted(reply: ScriptReply) {
  const attempt = reply.integer();
  const triesBefore = reply.integer();
  const startedAtMs = reply.integer();
  const body = bodyOf(reply.text());
  const url = reply.text();
  const secrets = parseSecrets(reply.text(), startedAtMs);
  return { attempt, triesBefore, startedAtMs, body, webhook: { url, secrets } };
}
