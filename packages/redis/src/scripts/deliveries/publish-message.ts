import type { CallDeadline, NewMessage, PublishOutcome } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import type { ScriptReply } from '../../script-reply.ts';
import type { WebhookKeys } from '../../webhook-keyspace.ts';
import { DIGITS } from '../fragments/digits.ts';
import { KEEP_UNTIL, LINGER_MS } from '../fragments/keep-until.ts';
import { CHANGES } from '../webhooks/fragments/changes.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { DUPLICATE } from './fragments/duplicate.ts';
import { EXPIRE_OLDEST } from './fragments/expire-oldest.ts';
import { DROP_FORGOTTEN, FORGET } from './fragments/forget.ts';
import { IN_TURNS } from './fragments/in-turns.ts';
import { KEEP_KNOWN } from './fragments/keep-known.ts';
import { MESSAGE_TEXT, STORED_FOR } from './fragments/message-text.ts';
import { NEXT_TURN_MS } from './fragments/next-turn-ms.ts';
import { RATE } from './fragments/rate.ts';
import { SCHEDULE } from './fragments/schedule.ts';

/** How many publishings come between two clean-ups of the log. Each may remove more than that, so the log keeps up. */
const FORGET_EVERY = 16;

/**
 * Stores a message and its deliveries.
 *
 * `webhookId` is empty for the webhooks of the account that are for the event, `idempotencyKey` where there
 * is none. Outcomes: `published`, with the number of deliveries, those scheduled (webhook id, delay) and those
 * that expired (webhook id, delivery id); `duplicate`, with the message id of the first, the number of its
 * deliveries and those that never started (webhook id, run, delay); `unknown`.
 *
 * The message and all of its deliveries are one script: apart, a crash in between would deliver an event to
 * some of its webhooks, and the publisher could not tell to which. The first write is one that a full Redis
 * refuses: nothing is ever half written.
 */
const script = defineScript({
  name: 'publish-message',
  batched: true,
  keys: ['root'],
  args: {
    accountId: 'text',
    messageId: 'text',
    event: 'text',
    body: 'text',
    webhookId: 'text',
    idempotencyKey: 'text',
    idempotencyMs: 'number',
    retentionMs: 'number',
    maxQueued: 'number',
    rateMarginMs: 'number',
  },
  uses: [
    KEY_OF,
    DIGITS,
    MESSAGE_TEXT,
    RATE,
    IN_TURNS,
    CHANGES,
    KEEP_KNOWN,
    SCHEDULE,
    DUPLICATE,
    STORED_FOR,
    FORGET,
    DROP_FORGOTTEN,
    EXPIRE_OLDEST,
    NEXT_TURN_MS,
    KEEP_UNTIL,
  ],
  lua: `
local receiptKey = idempotencyKey ~= '' and keyOf('idempotency', accountId .. '/' .. idempotencyKey)
if receiptKey then
  local firstId, untilMs, firstIds = unpack(cjson.decode(redis.call('GET', receiptKey) or '{}'))
  if firstId and now < untilMs then return duplicate(accountId, firstId, firstIds) end
end
local function giveReceipt(webhookIds)
  if not receiptKey then return end
  redis.call('SET', receiptKey, cjson.encode({messageId, now + idempotencyMs, webhookIds}),
    'PX', idempotencyMs + ${LINGER_MS})
end

local webhookIds
if webhookId == '' then
  webhookIds = redis.call('ZRANGE', keyOf('event', accountId .. '/' .. event), 0, -1)
elseif redis.call('EXISTS', keyOf('webhook', accountId .. '/' .. webhookId)) == 1 then
  webhookIds = {webhookId}
end
local messageKey = keyOf('message', accountId .. '/' .. messageId)
if not webhookIds or #webhookIds == 0 then
  local known = storedFor(messageKey)
  if known then return duplicate(accountId, messageId, known) end
  if not webhookIds then return answer('unknown') end
  giveReceipt(webhookIds)
  return answer('published', 0, {}, {})
end

local expiresAtMs, ttlMs = now + retentionMs, digits(retentionMs + ${LINGER_MS})
local text, isAgain = messageText(expiresAtMs, webhookIds, body), false
local stored = redis.pcall('SET', messageKey, text, 'PX', ttlMs, 'NX')
if not stored or stored.err then
  local known = storedFor(messageKey)
  if known then return duplicate(accountId, messageId, known) end
  -- Refused, by a Redis that is full: there is nothing to undo.
  if stored then return stored end
  isAgain = true
  redis.call('SET', messageKey, text, 'PX', ttlMs)
end
giveReceipt(webhookIds)

local scheduled, expired = {}, {}
work = work + #webhookIds - 1
for _, id in ipairs(webhookIds) do
  local webhook = accountId .. '/' .. id
  -- An id that comes again after it was forgotten finds nothing of its first life.
  if isAgain then forget(webhook, messageId) end
  local rateLimit, rateLimitPeriod, disabledAtMs, marginMs, wasRetryLast, retries, lastSequence, activeMs, logUntilMs,
    pausedUntilMs =
    unpack(redis.call('HMGET', keyOf('webhook', webhook), 'rateLimit', 'rateLimitPeriod', 'disabledAtMs',
      'rateMarginMs', 'wasRetryLast', 'retries', 'deliveries', 'activeMs', 'logUntilMs', 'pausedUntilMs'))
  local changes = {}
  if tonumber(marginMs or 0) ~= rateMarginMs then change(changes, 'rateMarginMs', rateMarginMs) end

  local state = disabledAtMs and 'held' or 'queued'
  local rate = rateOf(webhook, rateLimit, rateLimitPeriod, rateMarginMs, pausedUntilMs)
  local function rankBehind(length)
    local rank = inTurns(length, tonumber(retries or 0), true, wasRetryLast == '1')
    return rank, not disabledAtMs and mayStart(rate, rank)
  end
  local lineKey = keyOf(state, webhook)
  local length = redis.call('ZCARD', lineKey)
  local rank, isFree = rankBehind(length)
  if length > 0 and (not isFree or length >= maxQueued) then
    local left = length - dropForgotten(webhook, state)
    if left >= maxQueued then
      local oldest = expireOldest(webhook, state, left + 1 - maxQueued)
      for _, deliveryId in ipairs(oldest) do expired[#expired + 1] = {id, deliveryId} end
      left = left - #oldest
    end
    if left < length then rank, isFree = rankBehind(left) end
    length = left
  end
  -- Nor does it wait for the turn of a forgotten retry.
  if not isFree and state == 'queued' and tonumber(retries or 0) > 0 then
    retries = retries - dropForgotten(webhook, 'retries')
    rank, isFree = rankBehind(length)
  end

  local sequence = (lastSequence or 0) + 1
  local score = digits(sequence)
  change(changes, 'deliveries', score)
  local deliveryKey = keyOf('delivery', webhook .. '/' .. messageId)
  redis.call('HSET', deliveryKey, 'state', state, 'run', '1', 'event', event, 'sequence', score,
    'createdAtMs', digits(now), 'expiresAtMs', digits(expiresAtMs))
  redis.call('PEXPIRE', deliveryKey, ttlMs)
  redis.call('ZADD', keyOf('log', webhook), score, messageId)
  keepKnown(changes, 'log', webhook, logUntilMs, expiresAtMs, math.min(retentionMs, ${LINGER_MS}))
  redis.call('ZADD', lineKey, score, messageId)
  if state == 'held' then
    keepUntil(lineKey, expiresAtMs)
  else
    local atMs = isFree and now or nextTurnMs(rate, rank)
    if schedule(webhook, messageId, atMs, activeMs) then change(changes, 'activeMs', atMs) end
    scheduled[#scheduled + 1] = {id, atMs - now}
  end
  saveChanges(webhook, changes)
  if sequence % ${FORGET_EVERY} == 0 then dropForgotten(webhook, 'log') end
end
return answer('published', #webhookIds, scheduled, expired)
`,
});

export async function publishMessage(
  call: CallScript,
  keys: WebhookKeys,
  message: NewMessage,
  deadline: CallDeadline,
): Promise<PublishOutcome> {
  const { accountId } = message;
  const args = {
    accountId: String(accountId),
    messageId: message.messageId,
    event: message.event,
    body: message.body,
    webhookId: message.webhookId ?? '',
    idempotencyKey: message.idempotencyKey ?? '',
    idempotencyMs: message.idempotencyMs,
    retentionMs: message.retentionMs,
    maxQueued: message.maxQueued,
    rateMarginMs: message.rateMarginMs,
  };
  const reply = await call(script, keys, args, { deadline });
  const outcome = reply.outcome(['published', 'duplicate', 'unknown']);
  switch (outcome) {
    case 'published':
      return {
        outcome,
        messageId: message.messageId,
        deliveries: reply.integer(),
        scheduled: Array.from(reply.list().lists(), (delivery) => ({
          accountId,
          webhookId: delivery.text(),
          deliveryId: message.messageId,
          run: 1,
          delayMs: delivery.integer(),
        })),
        expired: Array.from(reply.list().lists(), (delivery) => ({
          accountId,
          webhookId: delivery.text(),
          deliveryId: delivery.text(),
        })),
      };
    case 'duplicate':
      return { outcome, ...parseDuplicate(reply, accountId) };
    case 'unknown':
      return { outcome };
  }
}

function parseDuplicate(reply: ScriptReply, accountId: number) {
  const messageId = reply.text();
  return {
    messageId,
    deliveries: reply.integer(),
    scheduled: Array.from(reply.list().lists(), (delivery) => ({
      accountId,
      webhookId: delivery.text(),
      deliveryId: messageId,
      run: delivery.integer(),
      delayMs: delivery.integer(),
    })),
  };
}
