import { accountName } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { WebhookMethod } from '../../store-methods.ts';
import { parseWebhookRecord, serialiseFirstSecret } from '../../webhook-record.ts';
import { KEY_OF } from './fragments/key-of.ts';
import { READ_WEBHOOK } from './fragments/read-webhook.ts';

/**
 * Registers a webhook, unless the account has reached the limit.
 *
 * Outcomes: `created`, with the time and the record; `limit_reached`. If the id is known, nothing changes: the outcome
 * is `created` with the existing record.
 *
 * One script counts and adds. Otherwise parallel calls could all create the last webhook that the limit allows.
 *
 * The sequence, which clients may see, is derived from the time. A counter for each account would have to outlive all
 * webhooks of the account, or numbers would repeat. One counter for all accounts would reveal to each of them how many
 * webhooks there are.
 */
const script = defineScript({
  name: 'create-webhook',
  keys: ['root'],
  args: {
    accountId: 'text',
    webhookId: 'text',
    event: 'text',
    url: 'text',
    rateLimit: 'number',
    rateLimitPeriod: 'text',
    secrets: 'text',
    maxPerAccount: 'number',
  },
  uses: [KEY_OF, READ_WEBHOOK],
  lua: `
local webhook = accountId .. '/' .. webhookId
local existingWebhook = readWebhook(webhook)
if existingWebhook then return reply('created', now, existingWebhook) end
local accountKey = keyOf('account', accountId)
if redis.call('ZCARD', accountKey) >= maxPerAccount then return reply('limit_reached') end

local newest = redis.call('ZRANGE', accountKey, -1, -1, 'WITHSCORES')[2]
local sequence = math.max(now, tonumber(newest or 0) + 1)
redis.call('HSET', keyOf('webhook', webhook), 'event', event, 'url', url, 'rateLimit', rateLimit,
  'rateLimitPeriod', rateLimitPeriod, 'sequence', sequence, 'secrets', secrets,
  'createdAtMs', now, 'updatedAtMs', now)
redis.call('ZADD', rootKey .. ':all', redis.call('INCR', rootKey .. ':registered'), webhook)
redis.call('ZADD', accountKey, sequence, webhookId)
redis.call('ZADD', ownedKey('event', accountId, event), sequence, webhookId)
return reply('created', now, readWebhook(webhook))
`,
});

export const createWebhook: WebhookMethod<'create'> =
  ({ call, partitions }) =>
  async (webhook, { maxPerAccount }) => {
    const reply = await call(script, partitions.of(webhook), {
      ...webhook,
      accountId: accountName(webhook.accountId),
      secrets: serialiseFirstSecret(webhook.encryptedSecret),
      maxPerAccount,
    });
    const outcome = reply.outcome(['created', 'limit_reached']);
    if (outcome === 'limit_reached') return { outcome };
    const nowMs = reply.integer();
    return { outcome, webhook: parseWebhookRecord(reply.list(), nowMs) };
  };
