import { defineScript } from '../../define-script.ts';
import type { WebhookMethod } from '../../store-methods.ts';
import { dueChannel, webhookName } from '../../webhook-keyspace.ts';
import { parseWebhookRecord } from '../../webhook-record.ts';
import { NOTIFY_WORKERS } from '../queue/fragments/notify-workers.ts';
import { KEY_OF } from './fragments/key-of.ts';
import { READ_WEBHOOK } from './fragments/read-webhook.ts';

/**
 * Enables a webhook, ends its backoff, and clears `failingSinceMs`.
 *
 * Outcomes: `enabled`; `already_enabled`, if the webhook was not disabled; `unknown`. The first two have the time and
 * the record.
 */
const script = defineScript({
  name: 'enable-webhook',
  keys: ['root'],
  args: { webhook: 'text', channel: 'text' },
  uses: [KEY_OF, READ_WEBHOOK, NOTIFY_WORKERS],
  lua: `
local webhookKey = keyOf('webhook', webhook)
if redis.call('EXISTS', webhookKey) == 0 then return reply('unknown') end
redis.call('HDEL', webhookKey, 'failingSinceMs')
redis.call('HSET', webhookKey, 'backoffUntilMs', now)
redis.call('ZADD', rootKey .. ':due', 'LT', now, webhook)
notifyWorkers(channel)
local isAlreadyEnabled = redis.call('HDEL', webhookKey, 'disabledAtMs', 'disabledReason') == 0
if isAlreadyEnabled then return reply('already_enabled', now, readWebhook(webhook)) end
redis.call('HSET', webhookKey, 'updatedAtMs', now)
return reply('enabled', now, readWebhook(webhook))
`,
});

export const enableWebhook: WebhookMethod<'enable'> =
  ({ call, partitions }) =>
  async (ref) => {
    const keys = partitions.of(ref);
    const args = { webhook: webhookName(ref), channel: dueChannel(keys) };
    const reply = await call(script, keys, args);
    const outcome = reply.outcome(['enabled', 'already_enabled', 'unknown']);
    if (outcome === 'unknown') return null;
    const nowMs = reply.integer();
    return { outcome, webhook: parseWebhookRecord(reply.list(), nowMs) };
  };
