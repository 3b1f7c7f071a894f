import {
  accountName,
  type CallDeadline,
  type DeliveryRef,
  type NewMessage,
  type PublishedMessage,
} from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { dueChannel, type WebhookKeys } from '../../webhook-keyspace.ts';
import { DIGITS } from '../fragments/digits.ts';
import { LINGER_MS } from '../fragments/extend-ttl.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { EXPIRE_QUEUED } from './fragments/expire-queued.ts';
import { WEBHOOK_IDS_OF } from './fragments/message.ts';
import { NOTIFY_WORKERS } from './fragments/notify-workers.ts';
import { REMOVE_DELIVERIES } from './fragments/remove-deliveries.ts';

/** How many arguments one command gets at most: Lua can pass about 8,000. */
const MAX_ARGS = 4_000;

/**
 * Stores a message, and appends its deliveries to the queues of its webhooks.
 *
 * If `webhookId` is empty, the message is for all webhooks of the account with this event. `idempotencyKey` may be
 * empty. Outcomes: `published`, with the number of deliveries, then the webhook id and the delivery id of each delivery
 * that expired because a queue was full; `duplicate`, with the id of the first message and the number of its
 * deliveries; `unknown`.
 *
 * One script stores the message and all of its deliveries. Otherwise a crash between two writes would deliver an event
 * to only some of its webhooks, and the publisher could not tell to which. Redis rejects the first write when memory is
 * full, so that nothing is half written.
 *
 * A webhook is added to `due` only if no earlier delivery waits for its first attempt. Otherwise the webhook is already
 * in `due`, at the time at which that delivery may start.
 */
const script = defineScript({
  name: 'queue/publish',
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
    channel: 'text',
  },
  sharedArgs: ['idempotencyMs', 'retentionMs', 'maxQueued', 'channel'],
  reads: ['idsByEvent'],
  uses: [KEY_OF, DIGITS, WEBHOOK_IDS_OF, REMOVE_DELIVERIES, EXPIRE_QUEUED, NOTIFY_WORKERS],
  lua: `
local idempotencyRecordKey = idempotencyKey ~= '' and ownedKey('idempotency', accountId, idempotencyKey)
if idempotencyRecordKey then
  local firstId, untilMs, count = unpack(cjson.decode(redis.call('GET', idempotencyRecordKey) or '{}'))
  if firstId and now < untilMs then return reply('duplicate', firstId, count) end
end
local function storeIdempotencyRecord(count)
  if not idempotencyRecordKey then return end
  redis.call('SET', idempotencyRecordKey, cjson.encode({messageId, now + idempotencyMs, count}),
    'PX', idempotencyMs + ${LINGER_MS})
end

-- Finds the webhooks of the message; nil: the given webhook does not exist.
local webhookIds
if webhookId == '' then
  local eventKey = ownedKey('event', accountId, event)
  webhookIds = idsByEvent[eventKey] or redis.call('ZRANGE', eventKey, '0', '-1')
  idsByEvent[eventKey] = webhookIds
elseif redis.call('EXISTS', ownedKey('webhook', accountId, webhookId)) == 1 then
  webhookIds = {webhookId}
end
local messageKey = ownedKey('message', accountId, messageId)
if not webhookIds or #webhookIds == 0 then
  -- A repeated call may come after the webhooks of its message were removed.
  local storedIds = webhookIdsOf(messageKey)
  if storedIds then return reply('duplicate', messageId, #storedIds) end
  if not webhookIds then return reply('unknown') end
  storeIdempotencyRecord(0)
  return reply('published', 0)
end

-- Stores the message. With NX, the result is false if a message with this id is stored, even an expired one.
local expiresAtMs, ttlMs = now + retentionMs, digits(retentionMs + ${LINGER_MS})
local text = nowText .. ' ' .. digits(expiresAtMs) .. ' ' .. event .. '\\n' .. table.concat(webhookIds, ' ') .. '\\n' ..
  body
local result = redis.pcall('SET', messageKey, text, 'PX', ttlMs, 'NX')
local isIdTaken, isRejected = not result, result and result.err
if isIdTaken or isRejected then
  local storedIds = webhookIdsOf(messageKey)
  if storedIds then return reply('duplicate', messageId, #storedIds) end
  -- Redis rejects the write when its memory is full, for example. There is nothing to undo.
  if isRejected then return result end
  -- The id is taken by an expired message, which the new one replaces.
  redis.call('SET', messageKey, text, 'PX', ttlMs)
end
storeIdempotencyRecord(#webhookIds)

-- Appends a delivery to the queue of each webhook. \`due\` is for ZADD: score, member, score, member ...
local due, published = {}, reply('published', #webhookIds)
-- Each delivery counts towards \`MAX_WORK\`. The first is the 1 that \`defineScript\` counts for each call.
work = work + #webhookIds - 1
local entry = nowText .. ' ' .. messageId
for _, id in ipairs(webhookIds) do
  local webhook = accountId .. '/' .. id
  -- Of the deliveries of the expired message with this id, only the entries in the log may remain.
  if isIdTaken then removeDeliveries(webhook, {messageId}) end
  local length = redis.call('RPUSH', keyOf('fresh', webhook), entry)
  if length == 1 and not redis.call('HGET', keyOf('webhook', webhook), 'disabledAtMs') then
    due[#due + 1] = nowText
    due[#due + 1] = webhook
  end
  if length > maxQueued then expireQueued(accountId, id, length - maxQueued, published) end
end
for from = 1, #due, ${MAX_ARGS} do
  redis.call('ZADD', rootKey .. ':due', 'LT', unpack(due, from, math.min(#due, from + ${MAX_ARGS - 1})))
end
if #due > 0 then notifyWorkers(channel) end
return published
`,
});

export async function publish(
  call: CallScript,
  keys: WebhookKeys,
  message: NewMessage,
  deadline: CallDeadline,
): Promise<PublishedMessage> {
  const { accountId, messageId } = message;
  // An object literal without a spread: V8 takes many times as long to add properties after one.
  const args = {
    accountId: accountName(accountId),
    messageId,
    event: message.event,
    body: message.body,
    webhookId: message.webhookId ?? '',
    idempotencyKey: message.idempotencyKey ?? '',
    idempotencyMs: message.idempotencyMs,
    retentionMs: message.retentionMs,
    maxQueued: message.maxQueued,
    channel: dueChannel(keys),
  };
  const reply = await call(script, keys, args, { deadline });
  const outcome = reply.outcome(['published', 'duplicate', 'unknown']);
  switch (outcome) {
    case 'published': {
      const deliveries = reply.integer();
      const expired: DeliveryRef[] = [];
      while (reply.hasMore) {
        expired.push({ accountId, webhookId: reply.text(), deliveryId: reply.text() });
      }
      return { outcome, messageId, deliveries, expired };
    }
    case 'duplicate':
      return { outcome, messageId: reply.text(), deliveries: reply.integer(), expired: [] };
    case 'unknown':
      return { outcome };
  }
}
