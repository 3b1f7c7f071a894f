import type { Claim, ClaimedAttempt, ClaimRequest } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { CLAIMED } from '../../queue-records.ts';
import type { CallScript } from '../../script-caller.ts';
import type { ScriptReply } from '../../script-reply.ts';
import { parseWebhookName, type WebhookKeys } from '../../webhook-keyspace.ts';
import { parseSecrets } from '../../webhook-record.ts';
import { DIGITS } from '../fragments/digits.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { UNBLOCK_CAPPED } from './fragments/free-in-flight.ts';
import { HEADS } from './fragments/heads.ts';
import { LEASE_TEXT } from './fragments/lease-text.ts';
import { MESSAGE_TIMES, parseMessage } from './fragments/message.ts';
import { RATE_WINDOW } from './fragments/rate-window.ts';
import { RECOVER_STALLED } from './fragments/recover-stalled.ts';
import { SET_BACK } from './fragments/set-back.ts';

/**
 * How many attempts of one webhook a claim takes at most, or its share of the claim where that is more. A burst to one
 * webhook does not fill a claim while others wait; the worker claims again while it has capacity, and larger claims are
 * fewer round trips.
 */
const QUANTUM = 16;

/** How often the time is noted, ms: a clock that was set back by less than that delays nothing by more. */
const CLOCK_NOTED_MS = 1_000;

/**
 * Leases attempts that may start now.
 *
 * Outcome: `claimed`, with when to claim again (ms; -1: nothing waits for a time, and nothing is leased), the time,
 * deliveries given up as poison (webhook, id), and for each webhook its name, url, secrets (JSON) and attempts
 * ({@link CLAIMED}).
 *
 * `due` has each enabled webhook for which anything waits, by the time at which it can start something. The ones that
 * have waited longest are looked at first, and each is put back by its next time: for a start of its rate, the end of a
 * backoff, its next retry; at the end of a lease where only an attempt in flight keeps it from starting more, though
 * the end of that attempt puts it back before. So the cost is that of what is handed out, whatever waits.
 *
 * `capped` has, for each account with as many attempts in flight as it may have, the webhooks that wait for one to end,
 * by when they began to wait.
 */
const script = defineScript({
  name: 'queue/claim',
  keys: ['root'],
  args: {
    limit: 'number',
    leaseMs: 'number',
    rateMarginMs: 'number',
    maxInFlightPerWebhook: 'number',
    maxInFlightPerAccount: 'number',
    maxStalledAttempts: 'number',
  },
  uses: [
    KEY_OF,
    DIGITS,
    MESSAGE_TIMES,
    LEASE_TEXT,
    RATE_WINDOW,
    HEADS,
    UNBLOCK_CAPPED,
    RECOVER_STALLED,
    SET_BACK,
  ],
  lua: `
local dueKey, leasesKey, inFlightKey = rootKey .. ':due', rootKey .. ':leases', rootKey .. ':inFlight'
local clockKey, cappedKey = rootKey .. ':clock', rootKey .. ':capped'
-- Removes nothing; but a Redis that is full rejects no write of a script after one that takes no memory.
redis.call('ZREM', dueKey, '')
local seenMs = tonumber(redis.call('GET', clockKey) or 0)
if seenMs - now > ${CLOCK_NOTED_MS} then setBack(leaseMs) end
if math.abs(now - seenMs) > ${CLOCK_NOTED_MS} then redis.call('SET', clockKey, digits(now)) end

local poisoned = {}
local lost = redis.call('ZRANGEBYSCORE', leasesKey, '-inf', digits(now), 'LIMIT', 0, 100)
if #lost > 0 then poisoned = recoverStalled(lost, leaseMs, maxStalledAttempts) end

-- A worker that has capacity left waits for a notification; one that has none claims again when it has.
local function nextInMs()
  local nextDue = redis.call('ZRANGE', dueKey, 0, 0, 'WITHSCORES')[2]
  local nextEnd = redis.call('ZRANGE', leasesKey, 0, 0, 'WITHSCORES')[2]
  local next = math.min(tonumber(nextDue or math.huge), tonumber(nextEnd or math.huge))
  local waitMs = next == math.huge and -1 or math.max(0, next - now)
  if waitMs ~= 0 and limit > 0 then redis.call('SET', rootKey .. ':idle', '1') end
  return waitMs
end
local found = redis.call('ZRANGEBYSCORE', dueKey, '-inf', digits(now), 'WITHSCORES', 'LIMIT', 0, limit)
if #found == 0 then return answer('claimed', nextInMs(), now, poisoned) end

local names, sinceMs, accountOf, inFlight, isCapped, accounts = {}, {}, {}, {}, {}, {}
for at = 1, #found, 2 do
  local name = found[at]
  local account = name:match('^([^/]*)/')
  names[#names + 1], sinceMs[name], accountOf[name] = name, found[at + 1], account
  if not inFlight[account] then
    accounts[#accounts + 1] = account
    inFlight[account] = 0
  end
end
for place, count in ipairs(redis.call('HMGET', inFlightKey, unpack(accounts))) do
  inFlight[accounts[place]] = tonumber(count or 0)
end
for place, is in ipairs(redis.call('SMISMEMBER', cappedKey, unpack(accounts))) do isCapped[accounts[place]] = is == 1 end

local due, gone, queues, messageKeys = {}, {}, {}, {}
local function dueAt(name, atMs)
  due[#due + 1] = digits(atMs)
  due[#due + 1] = name
end
-- Waits for an attempt of its account to end, since it has been due.
local function cap(name, account)
  redis.call('ZADD', keyOf('capped', account), sinceMs[name], name)
  redis.call('SADD', cappedKey, account)
  isCapped[account] = true
  dueAt(name, now + leaseMs)
end

local quantum = math.max(${QUANTUM}, math.ceil(limit / #names))
for _, name in ipairs(names) do
  if limit == 0 then break end
  local account = accountOf[name]
  if isCapped[account] then
    sinceMs[name] = redis.call('ZSCORE', keyOf('capped', account), name) or sinceMs[name]
    redis.call('ZREM', keyOf('capped', account), name)
  end
  local url, secrets, rateLimit, rateLimitPeriod, disabledAtMs, backoffUntilMs, logFirst, cursor, inFlightHere,
    windowCount, wasRetryLast = unpack(redis.call('HMGET', keyOf('webhook', name), 'url', 'secrets', 'rateLimit',
      'rateLimitPeriod', 'disabledAtMs', 'backoffUntilMs', 'logFirst', 'cursor', 'inFlight', 'windowCount',
      'wasRetryLast'))
  local here = tonumber(inFlightHere or 0)
  local capacity = maxInFlightPerAccount - inFlight[account]
  if not url or disabledAtMs then
    gone[#gone + 1] = name
  elseif backoffUntilMs and now < tonumber(backoffUntilMs) then
    dueAt(name, backoffUntilMs)
  elseif capacity <= 0 and here < maxInFlightPerWebhook then
    cap(name, account)
  else
    local periodMs = PERIOD_MS[rateLimitPeriod]
    local free, count, freeAtMs = rateWindow(name, tonumber(rateLimit), periodMs, tonumber(windowCount or 0))
    local permits = math.min(maxInFlightPerWebhook - here, capacity)
    local queue = {name = name, account = account, url = url, secrets = secrets, inFlight = here, count = count,
      windowCount = tonumber(windowCount or 0), permits = permits, isAccountFull = capacity < maxInFlightPerWebhook - here,
      free = free, freeAtMs = freeAtMs, periodMs = periodMs, first = tonumber(logFirst or 1),
      wasRetryLast = wasRetryLast == '1', taken = {}}
    queue.cursor = math.max(queue.first, tonumber(cursor or 1))
    takeHeads(queue, math.min(limit, quantum, permits, free))
    for _, attempt in ipairs(queue.taken) do
      messageKeys[#messageKeys + 1] = keyOf('message', account .. '/' .. attempt.id)
    end
    limit = limit - #queue.taken
    inFlight[account] = inFlight[account] + #queue.taken
    queues[#queues + 1] = queue
  end
end

local texts = #messageKeys > 0 and redis.call('MGET', unpack(messageKeys)) or {}
local leases, claimed, at, isCounted = {}, {}, 0, {}
for _, queue in ipairs(queues) do
  local name, attempts, retried = queue.name, {}, {}
  for _, attempt in ipairs(queue.taken) do
    at = at + 1
    local text = texts[at]
    local createdAtMs, expiresAtMs = messageTimes(text or '')
    if attempt.isRetry then retried[#retried + 1] = attempt.id end
    -- Redis has lost it, its retention is over, or its id was published again since: there is nothing to send.
    if expiresAtMs and now < expiresAtMs and (attempt.createdAtMs or createdAtMs) == createdAtMs then
      leases[#leases + 1] = digits(now + leaseMs)
      leases[#leases + 1] = leaseText(name, attempt.id, attempt.attempt, attempt.sequence, now,
        createdAtMs)
      attempts[#attempts + 1] = {attempt.id, attempt.attempt, attempt.sequence, attempt.failures, attempt.notCounted, text}
    else
      inFlight[queue.account] = inFlight[queue.account] - 1
    end
  end
  local started = #attempts
  local changes = {}
  if started > 0 then
    redis.call('RPUSH', keyOf('window', name), digits(now + rateMarginMs) .. ' ' .. digits(started))
    changes = {'inFlight', digits(queue.inFlight + started), 'lastStartMs', digits(now + rateMarginMs)}
    isCounted[queue.account] = true
    claimed[#claimed + 1] = {name, queue.url, queue.secrets, attempts}
  end
  if #retried > 0 then redis.call('ZREM', keyOf('retries', name), unpack(retried)) end
  local function set(field, value)
    changes[#changes + 1] = field
    changes[#changes + 1] = value
  end
  if queue.count + started ~= queue.windowCount then set('windowCount', digits(queue.count + started)) end
  if queue.takenFresh > 0 then set('cursor', digits(queue.cursor + queue.takenFresh)) end
  if queue.isRetryLast ~= queue.wasRetryLast then set('wasRetryLast', queue.isRetryLast and '1' or '0') end
  if not queue.hasMore then
    if queue.nextRetryMs then dueAt(name, queue.nextRetryMs) else gone[#gone + 1] = name end
  elseif started < #queue.taken then
    -- What had expired took no start.
    dueAt(name, now)
  elseif started >= queue.free then
    dueAt(name, queue.freeAtMs or now + rateMarginMs + queue.periodMs)
  elseif started >= queue.permits then
    if queue.isAccountFull then
      if started > 0 then sinceMs[name] = digits(now) end
      cap(name, queue.account)
    else
      set('isCapped', '1')
      dueAt(name, now + leaseMs)
    end
  else
    dueAt(name, now)
  end
  if #changes > 0 then redis.call('HSET', keyOf('webhook', name), unpack(changes)) end
end

if #leases > 0 then redis.call('ZADD', leasesKey, unpack(leases)) end
local counts = {}
for account in pairs(isCounted) do
  counts[#counts + 1] = account
  counts[#counts + 1] = digits(inFlight[account])
end
if #counts > 0 then redis.call('HSET', inFlightKey, unpack(counts)) end
if #due > 0 then redis.call('ZADD', dueKey, unpack(due)) end
if #gone > 0 then redis.call('ZREM', dueKey, unpack(gone)) end
for _, account in ipairs(accounts) do
  -- The queues that were tried may have left a permit to the next that waits.
  if isCapped[account] and inFlight[account] < maxInFlightPerAccount then unblockCapped(account, 1) end
end
return answer('claimed', nextInMs(), now, poisoned, unpack(claimed))
`,
});

export async function claim(
  call: CallScript,
  keys: WebhookKeys,
  request: ClaimRequest,
): Promise<Claim> {
  const reply = await call(script, keys, {
    limit: request.limit,
    leaseMs: request.leaseMs,
    rateMarginMs: request.rateMarginMs,
    maxInFlightPerWebhook: request.maxInFlightPerWebhook,
    maxInFlightPerAccount: request.maxInFlightPerAccount,
    maxStalledAttempts: request.maxStalledAttempts,
  });
  reply.outcome(['claimed']);
  const nextInMs = reply.integer();
  const nowMs = reply.integer();
  const poisoned = Array.from(reply.list().lists(), (delivery) => ({
    ...parseWebhookName(delivery.text()),
    deliveryId: delivery.text(),
  }));
  const attempts = [...reply.lists()].flatMap((webhook) => parseAttempts(webhook, nowMs));
  return { attempts, poisoned, nextInMs: nextInMs === -1 ? null : nextInMs };
}

/** Each as one literal: spreads would leave objects that are slow to read, at thousands a second. */
function parseAttempts(reply: ScriptReply, nowMs: number): readonly ClaimedAttempt[] {
  const { accountId, webhookId } = parseWebhookName(reply.text());
  const webhook = { url: reply.text(), secrets: parseSecrets(reply.text(), nowMs) };
  const { at } = CLAIMED;
  return Array.from(reply.list().lists(), (attempt) => {
    const { createdAtMs, expiresAtMs, event, body } = parseMessage(attempt.at(at.message).text());
    return {
      accountId,
      webhookId,
      deliveryId: attempt.at(at.deliveryId).text(),
      attempt: attempt.at(at.attempt).integer(),
      sequence: attempt.at(at.sequence).integer(),
      claimedAtMs: nowMs,
      createdAtMs,
      expiresAtMs,
      event,
      failures: attempt.at(at.failures).integer(),
      notCounted: attempt.at(at.notCounted).integer(),
      body,
      webhook,
    };
  });
}
