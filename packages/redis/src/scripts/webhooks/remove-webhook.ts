import { accountName } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { WebhookMethod } from '../../store-methods.ts';
import { dueChannel } from '../../webhook-keyspace.ts';
import { UNBLOCK_CAPPED } from '../queue/fragments/free-in-flight.ts';
import { NOTIFY_WORKERS } from '../queue/fragments/notify-workers.ts';
import { KEY_OF } from './fragments/key-of.ts';

/**
 * Removes a webhook and all keys that are named after it.
 *
 * Outcomes: `removed` by this call; `unknown`.
 *
 * The number of commands does not depend on the number of deliveries. UNLINK frees memory in another thread. Attempts
 * in flight are no longer counted, and change nothing when they end because every script checks first that the webhook
 * exists. Redis allows ZREM and UNLINK even when memory is full, and all writes after them.
 */
const script = defineScript({
  name: 'remove-webhook',
  keys: ['root'],
  args: { accountId: 'text', webhookId: 'text', channel: 'text' },
  uses: [KEY_OF, UNBLOCK_CAPPED, NOTIFY_WORKERS],
  lua: `
local webhook = accountId .. '/' .. webhookId
local event, inFlight = unpack(redis.call('HMGET', keyOf('webhook', webhook), 'event', 'inFlight'))
if not event then return reply('unknown') end
redis.call('ZREM', rootKey .. ':all', webhook)
redis.call('ZREM', keyOf('account', accountId), webhookId)
redis.call('ZREM', ownedKey('event', accountId, event), webhookId)
redis.call('ZREM', rootKey .. ':due', webhook)
redis.call('ZREM', keyOf('capped', accountId), webhook)
local kinds = {'webhook', 'retries', 'fresh', 'log', 'deliveries', 'failed', 'window'}
local keys = {}
for index, kind in ipairs(kinds) do keys[index] = keyOf(kind, webhook) end
redis.call('UNLINK', unpack(keys))
local freedCount = tonumber(inFlight or 0)
if freedCount > 0 then
  local remaining = redis.call('HINCRBY', rootKey .. ':inFlight', accountId, -freedCount)
  if remaining <= 0 then redis.call('HDEL', rootKey .. ':inFlight', accountId) end
end
-- At least one: the removed webhook may have become due for a permit, which now goes to another webhook.
if unblockCapped(accountId, math.max(1, freedCount)) then notifyWorkers(channel) end
return reply('removed')
`,
});

export const removeWebhook: WebhookMethod<'remove'> =
  ({ call, partitions }) =>
  async (ref) => {
    const { accountId, webhookId } = ref;
    const keys = partitions.of(ref);
    const args = { accountId: accountName(accountId), webhookId, channel: dueChannel(keys) };
    const reply = await call(script, keys, args);
    return reply.outcome(['removed', 'unknown']) === 'removed';
  };
