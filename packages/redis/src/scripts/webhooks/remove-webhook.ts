import type { WebhookRef } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import type { WebhookKeys } from '../../webhook-keyspace.ts';
import { KEY_OF } from './fragments/key-of.ts';

/**
 * Removes a webhook and all keys that are named after it.
 *
 * Outcomes: `removed` by this call; `unknown`.
 *
 * However many deliveries it has, this takes a fixed number of commands: UNLINK leaves the work to another thread, and
 * hashes of deliveries are left to expire. Every script looks for the webhook first, so none finds them. A full Redis
 * refuses neither ZREM nor UNLINK.
 */
const script = defineScript({
  name: 'remove-webhook',
  keys: ['root'],
  args: { accountId: 'text', webhookId: 'text' },
  uses: [KEY_OF],
  lua: `
local webhook = accountId .. '/' .. webhookId
local event = redis.call('HGET', keyOf('webhook', webhook), 'event')
if not event then return answer('unknown') end
redis.call('ZREM', rootKey .. ':all', webhook)
redis.call('ZREM', keyOf('account', accountId), webhookId)
redis.call('ZREM', keyOf('event', accountId .. '/' .. event), webhookId)
redis.call('ZREM', rootKey .. ':active', webhook)
redis.call('ZREM', rootKey .. ':due', webhook)
local kinds = {'webhook', 'starts', 'queued', 'parked', 'retries', 'parkedRetries', 'held', 'due', 'inFlight',
  'dead', 'log', 'deliveries', 'failed', 'window'}
local keys = {}
for place, kind in ipairs(kinds) do keys[place] = keyOf(kind, webhook) end
redis.call('UNLINK', unpack(keys))
return answer('removed')
`,
});

export async function removeWebhook(
  call: CallScript,
  keys: WebhookKeys,
  { accountId, webhookId }: WebhookRef,
): Promise<boolean> {
  const reply = await call(script, keys, { accountId: String(accountId), webhookId });
  return reply.outcome(['removed', 'unknown']) === 'removed';
}
