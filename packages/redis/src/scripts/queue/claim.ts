import type { Claim, ClaimRequest } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import type { ScriptReply } from '../../script-reply.ts';
import type { WebhookKeys } from '../../webhook-keyspace.ts';
import { DIGITS } from '../fragments/digits.ts';
import { CHANGES } from '../webhooks/fragments/changes.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { UNBLOCK_CAPPED } from './fragments/free-in-flight.ts';
import { HANDLE_CLOCK_SET_BACK } from './fragments/handle-clock-set-back.ts';
import { HEADS } from './fragments/heads.ts';
import { LEASE_ATTEMPTS } from './fragments/lease-attempts.ts';
import { MOVE_TO_LOG } from './fragments/move-to-log.ts';
import { RATE_WINDOW } from './fragments/rate-window.ts';
import { READ_QUEUE } from './fragments/read-queue.ts';
import { RECOVER_STALLED } from './fragments/recover-stalled.ts';
import { TRIM_LOG } from './fragments/trim-log.ts';
import { parseClaim } from './parse-claim.ts';

/**
 * How many attempts of one webhook a claim takes at most, unless an equal share of the claim is larger. So a burst to
 * one webhook does not fill a claim while other webhooks wait.
 */
const QUANTUM = 16;

/** How many attempts a claim takes at most: Lua can pass some thousands of values to a command. */
const MAX_CLAIMED = 1_000;

/**
 * How often the time of a claim is stored, ms. A clock that was set back by less goes undetected, and delays deliveries
 * by no more than that.
 */
const CLOCK_SAVED_MS = 1_000;

/** After how many deliveries of a webhook its log is trimmed again. */
const TRIM_EVERY = 16;

/** How many entries a claim removes at most from the log of a webhook of which it has met expired deliveries. */
const MAX_TRIMMED = 500;

/**
 * Leases the attempts that may start now.
 *
 * Outcome: one flat list, because Redis takes several times as long to reply with a list within a list:
 *
 * - 1 to 3: `claimed`, the time until the next claim (ms; -1: nothing is scheduled or leased), the current time
 * - 4: the number of deliveries that failed as poison; then for each: webhook, id
 * - then for each webhook: name, URL, secrets (JSON), number of attempts; and after these, for each attempt: id of the
 *   delivery, number of the attempt, sequence, failures, attempts not counted, message
 *
 * `due` has each enabled webhook with waiting deliveries, scored by the time at which the next delivery may start. The
 * claim begins with the webhooks that have been due longest, and gives each a new score: when its rate limit allows
 * another start, its backoff ends, or its next retry is due. A webhook that has reached a limit of attempts in flight
 * is due when a lease that begins now ends, or earlier, as soon as an attempt ends. So the cost of a claim depends on
 * the number of attempts that it returns, not on the number of waiting deliveries.
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
    LEASE_ATTEMPTS,
    RATE_WINDOW,
    HEADS,
    UNBLOCK_CAPPED,
    RECOVER_STALLED,
    HANDLE_CLOCK_SET_BACK,
    READ_QUEUE,
    CHANGES,
    MOVE_TO_LOG,
    TRIM_LOG,
  ],
  lua: `
local dueKey, leasesKey, inFlightKey = rootKey .. ':due', rootKey .. ':leases', rootKey .. ':inFlight'
local clockKey, cappedKey = rootKey .. ':clock', rootKey .. ':capped'
local leaseEndText, startText = digits(now + leaseMs), digits(now + rateMarginMs)
-- Removes nothing, but lets the script run when memory is full: Redis then rejects the first write of a script unless
-- it needs no memory, and allows all writes after that.
redis.call('ZREM', dueKey, '')
local storedMs = tonumber(redis.call('GET', clockKey) or 0)
if storedMs - now > ${CLOCK_SAVED_MS} then handleClockSetBack(leaseMs) end
if math.abs(now - storedMs) > ${CLOCK_SAVED_MS} then redis.call('SET', clockKey, nowText) end

-- The webhook and the id of each delivery that has failed as poison, one after the other.
local poisoned = {}
local stalled = redis.call('ZRANGEBYSCORE', leasesKey, '-inf', nowText, 'LIMIT', '0', '100')
if #stalled > 0 then poisoned = recoverStalled(stalled, leaseMs, maxStalledAttempts) end

-- Returns the time until the next claim. If less than the limit was claimed, the worker still has free capacity, and
-- waits for a notification: the key "idle" records this. A worker without capacity claims again once it has some.
local function nextInMs()
  -- [2] is the score of the first member.
  local nextDue = redis.call('ZRANGE', dueKey, '0', '0', 'WITHSCORES')[2]
  local nextEnd = redis.call('ZRANGE', leasesKey, '0', '0', 'WITHSCORES')[2]
  local nextAtMs = math.min(tonumber(nextDue or math.huge), tonumber(nextEnd or math.huge))
  local waitMs = nextAtMs == math.huge and -1 or math.max(0, nextAtMs - now)
  if waitMs ~= 0 and limit > 0 then redis.call('SET', rootKey .. ':idle', '1') end
  return waitMs
end
-- The reply. Its second value is set last.
local claimed, nextInMsAt = reply('claimed', 0, now, #poisoned / 2, unpack(poisoned)), 2
local names = redis.call('ZRANGEBYSCORE', dueKey, '-inf', nowText, 'LIMIT', '0', digits(limit))
if #names == 0 then
  claimed[nextInMsAt] = nextInMs()
  return claimed
end

local accounts, accountsById = readAccounts(names)
-- Changes of the key "due": for ZADD (score, member, score, member ...) and for ZREM.
local due, notDue = {}, {}
local function dueAt(queue, atText)
  due[#due + 1] = atText
  due[#due + 1] = queue.name
end
-- Lets a webhook wait for an attempt of its account to end. \`sinceMs\` is when it began to wait; nil: when it became
-- due, as it did not wait before this claim.
local function waitForAccount(queue, sinceMs)
  local account = queue.account
  redis.call('ZADD', keyOf('capped', account.id), sinceMs or redis.call('ZSCORE', dueKey, queue.name), queue.name)
  redis.call('SADD', cappedKey, account.id)
  account.isCapped = true
  dueAt(queue, leaseEndText)
end

-- Takes deliveries of the due webhooks, within all limits. \`limit\` becomes what is left of it.
local quantum = math.max(${QUANTUM}, math.ceil(limit / #names))
local queues, taken, messageKeys = {}, {}, {}
for index, name in ipairs(names) do
  if limit == 0 then break end
  local account = accounts[index]
  local queue = readQueue(name, account)
  local capacity, accountCapacity = maxInFlightPerWebhook - queue.inFlight, maxInFlightPerAccount - account.inFlight
  if not queue.isEnabled then
    notDue[#notDue + 1] = name
  elseif queue.backoffUntilMs and now < tonumber(queue.backoffUntilMs) then
    dueAt(queue, queue.backoffUntilMs)
  elseif accountCapacity <= 0 and capacity > 0 then
    waitForAccount(queue, queue.waitingSinceMs)
  else
    queue.freeStarts, queue.windowCount, queue.freeAtMs = rateWindow(name, queue.rateLimit, queue.periodMs,
      queue.storedWindowCount)
    queue.permits, queue.isAccountCapLower = math.min(capacity, accountCapacity), accountCapacity < capacity
    takeHeads(queue, math.min(limit, quantum, queue.permits, queue.freeStarts))
    for _, attempt in ipairs(queue.taken) do
      taken[#taken + 1] = attempt
      messageKeys[#messageKeys + 1] = ownedKey('message', account.id, attempt.id)
    end
    limit = limit - #queue.taken
    account.inFlight = account.inFlight + #queue.taken
    queues[#queues + 1] = queue
  end
end
-- messageKeys[i] is the key of the message of taken[i].
if #messageKeys > 0 then
  for index, text in ipairs(redis.call('MGET', unpack(messageKeys))) do taken[index].message = text end
end

-- Decides when a queue, of which \`count\` attempts were leased, is due again.
local function schedule(queue, count, changes)
  if not queue.hasMore then
    if queue.nextRetryMs then dueAt(queue, digits(queue.nextRetryMs)) else notDue[#notDue + 1] = queue.name end
  elseif count < #queue.taken then
    -- Expired deliveries were skipped, so more may start now. Removes many of them at once: with low limits, each claim
    -- would skip only a few.
    trimLog(queue.name, queue, changes, ${MAX_TRIMMED})
    dueAt(queue, nowText)
  elseif count >= queue.freeStarts then
    -- The rate limit is reached. Without \`freeAtMs\`, the window was empty, and these starts are its first entry.
    dueAt(queue, digits(queue.freeAtMs or now + rateMarginMs + queue.periodMs))
  elseif count < queue.permits then
    -- Only the limit of this claim or its quantum is reached.
    dueAt(queue, nowText)
  elseif queue.isAccountCapLower then
    -- A webhook of which attempts were leased waits after the other webhooks of its account.
    waitForAccount(queue, count > 0 and nowText or queue.waitingSinceMs)
  else
    change(changes, 'isCapped', '1')
    dueAt(queue, leaseEndText)
  end
end

-- Leases the taken attempts, and saves each queue.
local leases = {}
for _, queue in ipairs(queues) do
  local name, account, changes, retried = queue.name, queue.account, {}, {}
  local count, lastsUntilMs = leaseAttempts(queue, leaseEndText, leases, claimed)
  -- Attempts that \`leaseAttempts\` has skipped were counted when they were taken.
  account.inFlight = account.inFlight - (#queue.taken - count)
  if count > 0 then
    redis.call('RPUSH', keyOf('window', name), startText .. ' ' .. digits(count))
    change(changes, 'inFlight', digits(queue.inFlight + count))
    change(changes, 'lastStartMs', startText)
    account.isChanged = true
  end
  for _, attempt in ipairs(queue.taken) do
    if attempt.isRetry then retried[#retried + 1] = attempt.id end
  end
  if #retried > 0 then redis.call('ZREM', keyOf('retries', name), unpack(retried)) end
  local windowCount = queue.windowCount + count
  if windowCount ~= queue.storedWindowCount then change(changes, 'windowCount', digits(windowCount)) end
  if queue.takenFresh > 0 then
    moveToLog(name, queue, queue.takenFresh, lastsUntilMs, changes)
    if queue.cursor % ${TRIM_EVERY} < queue.takenFresh then
      trimLog(name, queue, changes, queue.takenFresh + ${TRIM_EVERY})
    end
  end
  if queue.isRetryLast ~= queue.wasRetryLast then change(changes, 'wasRetryLast', queue.isRetryLast and '1' or '0') end
  schedule(queue, count, changes)
  saveChanges(name, changes)
end

if #leases > 0 then redis.call('ZADD', leasesKey, unpack(leases)) end
if #due > 0 then redis.call('ZADD', dueKey, unpack(due)) end
if #notDue > 0 then redis.call('ZREM', dueKey, unpack(notDue)) end
local counts = {}
for _, account in pairs(accountsById) do
  if account.isChanged then
    counts[#counts + 1] = account.id
    counts[#counts + 1] = digits(account.inFlight)
  end
end
if #counts > 0 then redis.call('HSET', inFlightKey, unpack(counts)) end
for _, account in pairs(accountsById) do
  -- The account has a permit left, perhaps one that a claimed webhook did not use. The next webhook may have it.
  if account.isCapped and account.inFlight < maxInFlightPerAccount then unblockCapped(account.id, 1) end
end
claimed[nextInMsAt] = nextInMs()
return claimed
`,
});

export async function claim(
  call: CallScript,
  keys: WebhookKeys,
  request: ClaimRequest,
): Promise<Claim> {
  const limit = Math.min(request.limit, MAX_CLAIMED);
  const onLateReply = (reply: ScriptReply): void => request.onUnsent?.(parseClaim(reply).attempts);
  return parseClaim(await call(script, keys, { ...request, limit }, { onLateReply }));
}
