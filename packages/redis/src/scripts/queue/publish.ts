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
import { LINGER_MS } from '../fragments/keep-until.ts';
import { CHANGES } from '../webhooks/fragments/changes.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { EXPIRE_QUEUED } from './fragments/expire-queued.ts';
import { FORGET_DELIVERY } from './fragments/forget-delivery.ts';
import { KEEP_KNOWN } from './fragments/keep-known.ts';
import { WEBHOOK_IDS_OF } from './fragments/message.ts';
import { NOTIFY_WORKERS } from './fragments/notify-workers.ts';
import { TRIM_LOG } from './fragments/trim-log.ts';

/** After how many deliveries of a webhook its log is trimmed again. */
const TRIM_EVERY = 16;

/**
 * Stores a message, and appends its deliveries to the logs of its webhooks.
 *
 * If `webhookId` is empty, the message is for all webhooks of the account with this event. `idempotencyKey` may be
 * empty. Outcomes: `published`, with the number of deliveries and the deliveries that expired because a queue was full
 * (webhook id, delivery id); `duplicate`, with the id of the first message and the number of its deliveries; `unknown`.
 *
 * One script stores the message and all of its deliveries. Otherwise a crash in between would deliver an event to some
 * of its webhooks, and the publisher could not tell to which. The first write is one that Redis rejects when memory is
 * full, so that nothing is half written.
 *
 * The webhook is added to `due` only if no other delivery waits before this one. Otherwise it is already in `due`, at
 * the time at which the delivery before may start.
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
  uses: [
    KEY_OF,
    DIGITS,
    CHANGES,
    KEEP_KNOWN,
    WEBHOOK_IDS_OF,
    FORGET_DELIVERY,
    EXPIRE_QUEUED,
    TRIM_LOG,
    NOTIFY_WORKERS,
  ],
  lua: `
local receiptKey = idempotencyKey ~= '' and keyOf('idempotency', accountId .. '/' .. idempotencyKey)
if receiptKey then
  local firstId, untilMs, count = unpack(cjson.decode(redis.call('GET', receiptKey) or '{}'))
  if firstId and now < untilMs then return answer('duplicate', firstId, count) end
end
local function keepReceipt(count)
  if not receiptKey then return end
  redis.call('SET', receiptKey, cjson.encode({messageId, now + idempotencyMs, count}),
    'PX', idempotencyMs + ${LINGER_MS})
end

local webhookIds
if webhookId == '' then
  webhookIds = redis.call('ZRANGE', keyOf('event', accountId .. '/' .. event), '0', '-1')
elseif redis.call('EXISTS', keyOf('webhook', accountId .. '/' .. webhookId)) == 1 then
  webhookIds = {webhookId}
end
local messageKey = keyOf('message', accountId .. '/' .. messageId)
if not webhookIds or #webhookIds == 0 then
  local known = webhookIdsOf(messageKey)
  if known then return answer('duplicate', messageId, #known) end
  if not webhookIds then return answer('unknown') end
  keepReceipt(0)
  return answer('published', 0)
end

local expiresAtMs, ttlMs = now + retentionMs, digits(retentionMs + ${LINGER_MS})
local text = nowText .. ' ' .. digits(expiresAtMs) .. ' ' .. event .. '\\n' .. table.concat(webhookIds, ' ') .. '\\n' ..
  body
local stored, isAgain = redis.pcall('SET', messageKey, text, 'PX', ttlMs, 'NX'), false
if not stored or stored.err then
  local known = webhookIdsOf(messageKey)
  if known then return answer('duplicate', messageId, #known) end
  -- Redis has rejected the write, as its memory is full. There is nothing to undo.
  if stored then return stored end
  isAgain = true
  redis.call('SET', messageKey, text, 'PX', ttlMs)
end
keepReceipt(#webhookIds)

local due, published = {}, answer('published', #webhookIds)
work = work + #webhookIds - 1
for _, id in ipairs(webhookIds) do
  local webhook = accountId .. '/' .. id
  -- An id that is published again after its message expired must find no old delivery, except its entry in the log.
  if isAgain then forgetDelivery(webhook, messageId) end
  local disabledAtMs, logFirst, cursor, logUntilMs = unpack(redis.call('HMGET', keyOf('webhook', webhook),
    'disabledAtMs', 'logFirst', 'cursor', 'logUntilMs'))
  local length = redis.call('RPUSH', keyOf('log', webhook), nowText .. ' ' .. messageId)
  local changes, first = {}, tonumber(logFirst or 1)
  local next = math.max(first, tonumber(cursor or 1))
  if length == 1 and first < next then
    -- The key of the log has expired with its entries, so the log begins anew.
    first = next
    change(changes, 'logFirst', digits(first))
  end
  local sequence = first + length - 1
  keepKnown(changes, 'log', webhook, logUntilMs, expiresAtMs, math.min(retentionMs, ${LINGER_MS}))
  if sequence - next >= maxQueued then
    expireQueued(webhook, first, next, sequence - next + 1 - maxQueued, changes, published)
  end
  if sequence == next and not disabledAtMs then
    due[#due + 1] = nowText
    due[#due + 1] = webhook
  end
  if sequence % ${TRIM_EVERY} == 0 then trimLog(webhook, first, changes) end
  saveChanges(webhook, changes)
end
if #due > 0 then
  redis.call('ZADD', rootKey .. ':due', 'LT', unpack(due))
  notifyWorkers(channel)
end
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
