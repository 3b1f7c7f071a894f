import type { Claim, ClaimedAttempt, ClaimRequest } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import type { ScriptReply } from '../../script-reply.ts';
import type { WebhookKeys } from '../../webhook-keyspace.ts';
import { DIGITS } from '../fragments/digits.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { UNBLOCK_CAPPED } from './fragments/free-in-flight.ts';
import { HANDLE_CLOCK_SET_BACK } from './fragments/handle-clock-set-back.ts';
import { HEADS } from './fragments/heads.ts';
import { LEASE_TEXT } from './fragments/lease-text.ts';
import { MESSAGE_TIMES } from './fragments/message.ts';
import { RATE_WINDOW } from './fragments/rate-window.ts';
import { RECOVER_STALLED } from './fragments/recover-stalled.ts';
import { parseClaim } from './parse-claim.ts';

/**
 * How many attempts of one webhook a claim takes at most, unless an equal share of the claim is larger. So a burst to
 * one webhook does not fill a claim while other webhooks wait.
 */
const QUANTUM = 16;

/**
 * How often the time of a claim is stored, ms. A clock that was set back by less goes undetected, and delays deliveries
 * by no more than that.
 */
const CLOCK_SAVED_MS = 1_000;

/**
 * Leases the attempts that may start now.
 *
 * Outcome: `claimed`, with the time until the next claim (ms; -1: nothing is scheduled or leased), the current time,
 * the number of deliveries that failed as poison, the webhook and the id of each; then for each webhook its name, URL,
 * secrets (JSON), the number of its attempts, and for each attempt the delivery's id, the attempt's number, the
 * sequence, the failures, the attempts not counted, and the message. It is one flat list, for the reason in
 * `loopOverCalls` of `defineScript`.
 *
 * `due` has each enabled webhook with waiting deliveries, scored by the time at which the next delivery may start. The
 * claim begins with the webhooks that have been due longest, and gives each a new score: when its rate limit allows
 * another start, its backoff ends, or its next retry is due. A webhook that has reached a limit of attempts in flight
 * gets the end of a lease, but is due earlier as soon as an attempt ends. So the cost of a claim depends on the number
 * of attempts that it returns, not on the number of waiting deliveries.
 *
 * `capped` has the accounts that have reached their limit of attempts in flight. `capped:<account>` has the webhooks of
 * such an account that wait for an attempt to end, scored by when they began to wait.
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
    HANDLE_CLOCK_SET_BACK,
  ],
  lua: `
local dueKey, leasesKey, inFlightKey = rootKey .. ':due', rootKey .. ':leases', rootKey .. ':inFlight'
local clockKey, cappedKey = rootKey .. ':clock', rootKey .. ':capped'
local leaseEndText, startText = digits(now + leaseMs), digits(now + rateMarginMs)
-- Removes nothing, but lets the script run when memory is full: Redis then rejects the first write of a script unless
-- it needs no memory, and allows all further writes.
redis.call('ZREM', dueKey, '')
local storedMs = tonumber(redis.call('GET', clockKey) or 0)
if storedMs - now > ${CLOCK_SAVED_MS} then handleClockSetBack(leaseMs) end
if math.abs(now - storedMs) > ${CLOCK_SAVED_MS} then redis.call('SET', clockKey, nowText) end

local poisoned = {}
local stalled = redis.call('ZRANGEBYSCORE', leasesKey, '-inf', nowText, 'LIMIT', '0', '100')
if #stalled > 0 then poisoned = recoverStalled(stalled, leaseMs, maxStalledAttempts) end

-- Returns the time until the next claim. Records in the key "idle" that a worker with free capacity waits for a
-- notification. A worker without capacity claims again in any case.
local function nextInMs()
  local nextDue = redis.call('ZRANGE', dueKey, '0', '0', 'WITHSCORES')[2]
  local nextEnd = redis.call('ZRANGE', leasesKey, '0', '0', 'WITHSCORES')[2]
  local nextAtMs = math.min(tonumber(nextDue or math.huge), tonumber(nextEnd or math.huge))
  local waitMs = nextAtMs == math.huge and -1 or math.max(0, nextAtMs - now)
  if waitMs ~= 0 and limit > 0 then redis.call('SET', rootKey .. ':idle', '1') end
  return waitMs
end
local claimed, waitAt = reply('claimed', 0, now, #poisoned / 2, unpack(poisoned)), 2
local names = redis.call('ZRANGEBYSCORE', dueKey, '-inf', nowText, 'LIMIT', '0', digits(limit))
if #names == 0 then
  claimed[waitAt] = nextInMs()
  return claimed
end

local accountsOf, inFlight, isCapped, accounts = {}, {}, {}, {}
for index, name in ipairs(names) do
  local account = name:match('^([^/]*)/')
  accountsOf[index] = account
  if not inFlight[account] then
    accounts[#accounts + 1] = account
    inFlight[account] = 0
  end
end
for index, count in ipairs(redis.call('HMGET', inFlightKey, unpack(accounts))) do
  inFlight[accounts[index]] = tonumber(count or 0)
end
for index, isMember in ipairs(redis.call('SMISMEMBER', cappedKey, unpack(accounts))) do
  isCapped[accounts[index]] = isMember == 1
end

local due, notDue, queues, messageKeys = {}, {}, {}, {}
local function dueAt(name, atText)
  due[#due + 1] = atText
  due[#due + 1] = name
end
-- Lets a webhook wait for an attempt of its account to end. Its score in "capped" is when it began to wait.
local function cap(name, account, sinceMs)
  redis.call('ZADD', keyOf('capped', account), sinceMs or redis.call('ZSCORE', dueKey, name), name)
  redis.call('SADD', cappedKey, account)
  isCapped[account] = true
  dueAt(name, leaseEndText)
end

local quantum = math.max(${QUANTUM}, math.ceil(limit / #names))
for index, name in ipairs(names) do
  if limit == 0 then break end
  local account, sinceMs = accountsOf[index], nil
  if isCapped[account] then
    sinceMs = redis.call('ZSCORE', keyOf('capped', account), name)
    redis.call('ZREM', keyOf('capped', account), name)
  end
  local url, secrets, rateLimit, rateLimitPeriod, disabledAtMs, backoffUntilMs, logFirst, cursor, storedInFlight,
    windowCount, wasRetryLast = unpack(redis.call('HMGET', keyOf('webhook', name), 'url', 'secrets', 'rateLimit',
      'rateLimitPeriod', 'disabledAtMs', 'backoffUntilMs', 'logFirst', 'cursor', 'inFlight', 'windowCount',
      'wasRetryLast'))
  local webhookInFlight = tonumber(storedInFlight or 0)
  local capacity = maxInFlightPerAccount - inFlight[account]
  if not url or disabledAtMs then
    notDue[#notDue + 1] = name
  elseif backoffUntilMs and now < tonumber(backoffUntilMs) then
    dueAt(name, backoffUntilMs)
  elseif capacity <= 0 and webhookInFlight < maxInFlightPerWebhook then
    cap(name, account, sinceMs)
  else
    local periodMs = PERIOD_MS[rateLimitPeriod]
    local freeStarts, count, freeAtMs = rateWindow(name, tonumber(rateLimit), periodMs, tonumber(windowCount or 0))
    local permits = math.min(maxInFlightPerWebhook - webhookInFlight, capacity)
    local queue = {name = name, account = account, sinceMs = sinceMs, url = url, secrets = secrets,
      inFlight = webhookInFlight, count = count, windowCount = tonumber(windowCount or 0), permits = permits,
      isAccountFull = capacity < maxInFlightPerWebhook - webhookInFlight, freeStarts = freeStarts, freeAtMs = freeAtMs,
      periodMs = periodMs, first = tonumber(logFirst or 1),
      wasRetryLast = wasRetryLast == '1', taken = {}, cursor = tonumber(cursor or 1), takenFresh = 0, isRetryLast = false,
      hasMore = false, nextRetryMs = nil}
    queue.cursor = math.max(queue.first, queue.cursor)
    takeHeads(queue, math.min(limit, quantum, permits, freeStarts))
    for _, attempt in ipairs(queue.taken) do
      messageKeys[#messageKeys + 1] = ownedKey('message', account, attempt.id)
    end
    limit = limit - #queue.taken
    inFlight[account] = inFlight[account] + #queue.taken
    queues[#queues + 1] = queue
  end
end

local texts = #messageKeys > 0 and redis.call('MGET', unpack(messageKeys)) or {}
local leases, at, isCounted = {}, 0, {}
for _, queue in ipairs(queues) do
  local name, retried, startCount = queue.name, {}, 0
  local countAt = #claimed + 4
  local last = countAt
  for _, attempt in ipairs(queue.taken) do
    at = at + 1
    local text = texts[at]
    local createdAt, expiresAtMs = messageTimes(text or '')
    attempt.createdAt = attempt.createdAt or createdAt
    if attempt.isRetry then retried[#retried + 1] = attempt.id end
    -- Leases only deliveries whose message exists, has not expired, and was not published again under the same id.
    if expiresAtMs and now < expiresAtMs and attempt.createdAt == createdAt then
      leases[#leases + 1] = leaseEndText
      leases[#leases + 1] = leaseText(queue, attempt)
      if startCount == 0 then
        claimed[last - 3], claimed[last - 2], claimed[last - 1], claimed[last] = name, queue.url, queue.secrets, 0
      end
      startCount = startCount + 1
      claimed[last + 1], claimed[last + 2], claimed[last + 3] = attempt.id, attempt.attempt, attempt.sequence
      claimed[last + 4], claimed[last + 5], claimed[last + 6] = attempt.failures, attempt.notCounted, text
      last = last + 6
    else
      inFlight[queue.account] = inFlight[queue.account] - 1
    end
  end
  local changes = {}
  if startCount > 0 then
    redis.call('RPUSH', keyOf('window', name), startText .. ' ' .. digits(startCount))
    changes = {'inFlight', digits(queue.inFlight + startCount), 'lastStartMs', startText}
    isCounted[queue.account] = true
    claimed[countAt] = startCount
  end
  if #retried > 0 then redis.call('ZREM', keyOf('retries', name), unpack(retried)) end
  local function set(field, value)
    changes[#changes + 1] = field
    changes[#changes + 1] = value
  end
  if queue.count + startCount ~= queue.windowCount then set('windowCount', digits(queue.count + startCount)) end
  if queue.takenFresh > 0 then set('cursor', digits(queue.cursor + queue.takenFresh)) end
  if queue.isRetryLast ~= queue.wasRetryLast then set('wasRetryLast', queue.isRetryLast and '1' or '0') end
  if not queue.hasMore then
    if queue.nextRetryMs then dueAt(name, digits(queue.nextRetryMs)) else notDue[#notDue + 1] = name end
  elseif startCount < #queue.taken then
    -- Expired deliveries were skipped, so more may start now.
    dueAt(name, nowText)
  elseif startCount >= queue.freeStarts then
    dueAt(name, digits(queue.freeAtMs or now + rateMarginMs + queue.periodMs))
  elseif startCount >= queue.permits then
    if queue.isAccountFull then
      cap(name, queue.account, startCount > 0 and nowText or queue.sinceMs)
    else
      set('isCapped', '1')
      dueAt(name, leaseEndText)
    end
  else
    dueAt(name, nowText)
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
if #notDue > 0 then redis.call('ZREM', dueKey, unpack(notDue)) end
for _, account in ipairs(accounts) do
  -- The claimed queues may not have used all permits, so the next webhook may have one.
  if isCapped[account] and inFlight[account] < maxInFlightPerAccount then unblockCapped(account, 1) end
end
claimed[waitAt] = nextInMs()
return claimed
`,
});

/**
 * @param onLate - called with the attempts of a claim that was rejected at its deadline: they are leased, and no worker
 *   sends them
 */
export async function claim(
  call: CallScript,
  keys: WebhookKeys,
  request: ClaimRequest,
  onLate: (attempts: readonly ClaimedAttempt[]) => void,
): Promise<Claim> {
  const onLateReply = (reply: ScriptReply): void => onLate(parseClaim(reply).attempts);
  return parseClaim(await call(script, keys, request, { onLateReply }));
}
