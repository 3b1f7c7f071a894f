import type { StartOutcome, StartRequest } from '@latchhook/core';
import { defineScript } from '../../define-script.ts';
import { parseNext } from '../../delivery-record.ts';
import type { CallScript } from '../../script-caller.ts';
import type { ScriptReply } from '../../script-reply.ts';
import type { WebhookKeys } from '../../webhook-keyspace.ts';
import { parseRate, parseSecrets } from '../../webhook-record.ts';
import { KEEP_UNTIL } from '../fragments/keep-until.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { BURY } from './fragments/bury.ts';
import { FORGET } from './fragments/forget.ts';
import { HOLD } from './fragments/hold.ts';
import { JOIN_RETRIES } from './fragments/join-retries.ts';
import { LINES } from './fragments/lines.ts';
import { LOG_ATTEMPT } from './fragments/log-attempt.ts';
import { NEXT_IN_LINE } from './fragments/next-in-line.ts';
import { RATE } from './fragments/rate.ts';
import { SCHEDULE } from './fragments/schedule.ts';

/** Longer than any window: where the period is changed, what started before still counts. */
const STARTS_TTL_MS = 60_000;

/**
 * Begins an attempt, if it may begin now.
 *
 * Outcomes: `started`, with the attempt, the tries before, the time, event, body, URL, secrets (JSON), limit
 * and period; `deferred`, with the time to wait, by what, and who is next (id, run, delay; the id empty: nobody); `held`; `poisoned`,
 * with who is next; `over`.
 *
 * Whether there is room, and taking it, is one script: apart, every process would find the same start free.
 * An attempt whose lease is over is counted as lost here, by the one who asks next, so that it is counted
 * once. A full Redis refuses none of this, since a removal comes first: what waits in it can be sent off.
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
  },
  lua: `
${KEY_OF}
${KEEP_UNTIL}
${RATE}
${LINES}
${JOIN_RETRIES}
${SCHEDULE}
${FORGET}
${NEXT_IN_LINE}
${BURY}
${HOLD}
${LOG_ATTEMPT}
local webhook = accountId .. '/' .. webhookId
local webhookKey = keyOf('webhook', webhook)
local deliveryKey = keyOf('delivery', webhook .. '/' .. deliveryId)
local flyingKey = keyOf('flying', webhook)

local found = redis.call('HMGET', deliveryKey, 'state', 'run', 'expiresAtMs', 'event', 'sequence',
  'attempt', 'tries', 'lost', 'retryAtMs', 'startedAtMs')
local state, attempt = found[1], tonumber(found[6] or 0)
if not state or found[2] ~= run or now >= tonumber(found[3]) then return answer('over') end
if state == 'delivered' or state == 'dead' then return answer('over') end
local hook = redis.call('HMGET', webhookKey, 'url', 'secrets', 'rateLimit', 'rateLimitPeriod',
  'disabledAtMs', 'lastRetry')
if not hook[1] then return answer('over') end
local retryAtMs = tonumber(found[9] or 0)
local rate = rateOf(webhook, hook[3], hook[4], rateMarginMs)
local wasRetryLast = hook[6] == '1'
local function next()
  if hook[5] then return '', 0, 0 end
  return nextInLine(webhook, rate, wasRetryLast, maxInFlight)
end

if state == 'sending' then
  local leaseEndsAtMs = tonumber(redis.call('ZSCORE', flyingKey, deliveryId) or 0)
  if now < leaseEndsAtMs then return answer('deferred', leaseEndsAtMs - now, 'sending', '', 0, 0) end
  redis.call('ZREM', flyingKey, deliveryId)
  local leaseMs = math.max(0, leaseEndsAtMs - found[10])
  local lost = tonumber(found[8] or 0) + 1
  state, retryAtMs = 'waiting', now
  logAttempt(deliveryKey, attempt, found[10], '[null,' .. leaseMs .. ',"lost",null]',
    'state', state, 'retryAtMs', now, 'lost', lost)
  if lost >= maxLostAttempts then
    bury(webhook, deliveryId, 'poison')
    return answer('poisoned', next())
  end
  schedule(webhook, deliveryId, now)
end

if state == 'held' then return answer('held') end
if hook[5] then
  hold(webhook, deliveryId, found[5], found[3])
  return answer('held')
end
local isFirst = state == 'queued'
if not isFirst and now < retryAtMs then
  return answer('deferred', retryAtMs - now, 'schedule', '', 0, 0)
end

local inFlight = redis.call('ZCOUNT', flyingKey, '(' .. now, '+inf')
local rank = rankOf(webhook, deliveryId, isFirst, wasRetryLast)
-- Those before it could start too, or it must not: by the rate and by what is in flight.
local function obstacle()
  if not mayStart(rate, rank) then return 'rate' end
  if inFlight + rank >= maxInFlight then return 'in_flight' end
end
if rank > 0 and obstacle() then
  dropForgotten(webhook, 'queued')
  dropForgotten(webhook, 'retries')
  rank = rankOf(webhook, deliveryId, isFirst, wasRetryLast)
end
local by = obstacle()
if by then
  if not isFirst then joinRetries(webhook, deliveryId) end
  local line, crowd = unpack(LINES[isFirst])
  local crowdKey, atMs = keyOf(crowd, webhook), nil
  if by == 'rate' then
    atMs = toldMs(rate, rank)
    redis.call('ZREM', crowdKey, deliveryId)
  else
    -- When there is room at the worst, if every attempt takes its whole lease. It is named sooner.
    atMs = now + math.ceil(leaseMs * (rank / maxInFlight + 1))
    redis.call('ZADD', crowdKey, redis.call('ZSCORE', keyOf(line, webhook), deliveryId), deliveryId)
  end
  schedule(webhook, deliveryId, atMs)
  return answer('deferred', atMs - now, by, next())
end

local body = redis.call('HGET', keyOf('message', accountId .. '/' .. deliveryId), 'body')
if not body then return answer('over') end
redis.call('ZREM', keyOf('due', webhook), deliveryId)
leaveLine(webhook, deliveryId, isFirst)
if isFirst == wasRetryLast then redis.call('HSET', webhookKey, 'lastRetry', isFirst and 0 or 1) end
attempt = attempt + 1
redis.call('HSET', deliveryKey, 'state', 'sending', 'attempt', attempt, 'startedAtMs', now)
redis.call('ZADD', flyingKey, now + leaseMs, deliveryId)
redis.call('ZADD', rootKey .. ':active', 'LT', now + leaseMs, webhook)
if redis.call('LPUSH', rate.startsKey, now) > rate.limit then
  redis.call('LTRIM', rate.startsKey, 0, rate.limit - 1)
end
redis.call('PEXPIRE', rate.startsKey, ${STARTS_TTL_MS} + rateMarginMs)
return answer('started', attempt, found[7] or 0, now, found[4], body, hook[1], hook[2], hook[3], hook[4])
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
  });
  const outcome = reply.outcome(['started', 'deferred', 'held', 'poisoned', 'over']);
  switch (outcome) {
    case 'started':
      return { outcome, ...parseStarted(reply) };
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
  const event = reply.text();
  const body = reply.text();
  const url = reply.text();
  const secrets = parseSecrets(reply.text(), startedAtMs);
  const webhook = { url, secrets, ...parseRate(reply) };
  return { attempt, triesBefore, startedAtMs, event, body, webhook };
}
