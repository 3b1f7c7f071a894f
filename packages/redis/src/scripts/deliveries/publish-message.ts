import type { NewMessage, PublishOutcome } from '@latchhook/core';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import type { ScriptReply } from '../../script-reply.ts';
import type { WebhookKeys } from '../../webhook-keyspace.ts';
import { KEEP_UNTIL, LINGER_MS } from '../fragments/keep-until.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { BURY } from './fragments/bury.ts';
import { FORGET } from './fragments/forget.ts';
import { LINES } from './fragments/lines.ts';
import { RATE } from './fragments/rate.ts';
import { SCHEDULE } from './fragments/schedule.ts';

/** So often the log is looked at for what is forgotten, and then for twice as many: it cannot fall behind. */
const FORGET_EVERY = 16;

/** Deliveries of one webhook that one message makes expire, at most: after the bound was lowered, in parts. */
const MAX_EXPIRED = 100;

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
  lua: `
${KEY_OF}
${KEEP_UNTIL}
${RATE}
${LINES}
${SCHEDULE}
${FORGET}
${BURY}
local function duplicate(firstId, webhookIds)
  local scheduled = {}
  for _, id in ipairs(webhookIds) do
    local webhook = accountId .. '/' .. id
    local dueAtMs = redis.call('ZSCORE', keyOf('due', webhook), firstId)
    local found = redis.call('HMGET', keyOf('delivery', webhook .. '/' .. firstId), 'state', 'run')
    if dueAtMs and found[1] == 'queued' then
      scheduled[#scheduled + 1] = {id, found[2], math.max(0, dueAtMs - now)}
    end
  end
  return answer('duplicate', firstId, #webhookIds, scheduled)
end

local receiptKey = keyOf('idempotency', accountId .. '/' .. idempotencyKey)
if idempotencyKey ~= '' then
  local receipt = cjson.decode(redis.call('GET', receiptKey) or '{}')
  if receipt[1] and now < receipt[2] then return duplicate(receipt[1], receipt[3]) end
end
local messageKey = keyOf('message', accountId .. '/' .. messageId)
local known = redis.call('HMGET', messageKey, 'webhookIds', 'expiresAtMs')
if known[1] and now < tonumber(known[2]) then
  return duplicate(messageId, cjson.decode(known[1]))
end

local webhookIds
if webhookId == '' then
  webhookIds = redis.call('ZRANGE', keyOf('event', accountId .. '/' .. event), 0, -1)
elseif redis.call('EXISTS', keyOf('webhook', accountId .. '/' .. webhookId)) == 1 then
  webhookIds = {webhookId}
else
  return answer('unknown')
end

if idempotencyKey ~= '' then
  local expiresAtMs = now + idempotencyMs
  redis.call('SET', receiptKey, cjson.encode({messageId, expiresAtMs, webhookIds}))
  redis.call('PEXPIRE', receiptKey, idempotencyMs + ${LINGER_MS})
end
if #webhookIds == 0 then return answer('published', 0, {}, {}) end
local expiresAtMs = now + retentionMs
redis.call('HSET', messageKey,
  'body', body, 'webhookIds', cjson.encode(webhookIds), 'expiresAtMs', expiresAtMs)
redis.call('PEXPIRE', messageKey, retentionMs + ${LINGER_MS})

local scheduled, expired = {}, {}
local function expireOldest(webhook, webhookId, lineKey, excess)
  local oldest = redis.call('ZRANGE', lineKey, 0, math.min(excess, ${MAX_EXPIRED}) - 1)
  for _, deliveryId in ipairs(oldest) do
    bury(webhook, deliveryId, 'expired')
    expired[#expired + 1] = {webhookId, deliveryId}
  end
end

for _, id in ipairs(webhookIds) do
  local webhook = accountId .. '/' .. id
  local webhookKey = keyOf('webhook', webhook)
  -- An id that comes again after it was forgotten finds nothing of its first life.
  if known[1] then forget(webhook, messageId) end
  local found = redis.call('HMGET', webhookKey,
    'rateLimit', 'rateLimitPeriod', 'disabledAtMs', 'rateMarginMs', 'lastRetry')
  if tonumber(found[4] or 0) ~= rateMarginMs then
    redis.call('HSET', webhookKey, 'rateMarginMs', rateMarginMs)
  end

  local state = found[3] and 'held' or 'queued'
  local lineKey = keyOf(state, webhook)
  local rate = rateOf(webhook, found[1], found[2], rateMarginMs)
  local retries = redis.call('ZCARD', keyOf('retries', webhook))
  local function rankAt(place) return inTurns(place, retries, true, found[5] == '1') end
  local length = redis.call('ZCARD', lineKey)
  local rank = rankAt(length)
  local isFree = not found[3] and mayStart(rate, rank)
  if length > 0 and (not isFree or length >= maxQueued) then
    dropForgotten(webhook, state)
    local excess = redis.call('ZCARD', lineKey) + 1 - maxQueued
    if excess > 0 then expireOldest(webhook, id, lineKey, excess) end
    rank = rankAt(redis.call('ZCARD', lineKey))
    isFree = not found[3] and mayStart(rate, rank)
  end

  local sequence = redis.call('HINCRBY', webhookKey, 'deliveries', 1)
  local deliveryKey = keyOf('delivery', webhook .. '/' .. messageId)
  redis.call('HSET', deliveryKey, 'state', state, 'run', 1, 'event', event, 'sequence', sequence,
    'createdAtMs', now, 'expiresAtMs', expiresAtMs)
  redis.call('PEXPIRE', deliveryKey, retentionMs + ${LINGER_MS})
  local logKey = keyOf('log', webhook)
  redis.call('ZADD', logKey, sequence, messageId)
  keepUntil(logKey, expiresAtMs)
  redis.call('ZADD', lineKey, sequence, messageId)
  if state == 'held' then
    keepUntil(lineKey, expiresAtMs)
  else
    local atMs = isFree and now or toldMs(rate, rank)
    schedule(webhook, messageId, atMs)
    scheduled[#scheduled + 1] = {id, atMs - now}
  end
  if sequence % ${FORGET_EVERY} == 0 then
    for _ = 1, 2 do dropForgotten(webhook, 'log') end
  end
end
return answer('published', #webhookIds, scheduled, expired)
`,
});

export async function publishMessage(
  call: CallScript,
  keys: WebhookKeys,
  message: NewMessage,
): Promise<PublishOutcome> {
  const { accountId } = message;
  const reply = await call(script, keys, {
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
  });
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
