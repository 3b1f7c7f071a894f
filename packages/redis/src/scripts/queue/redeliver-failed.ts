import type { RedeliverFailedRequest, WebhookRef } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { DIGITS } from '../fragments/digits.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './fragments/delivery-text.ts';
import { START_OVER } from './fragments/start-over.ts';
import { WAKE } from './fragments/wake.ts';

/**
 * Sends failed deliveries again that were published since, oldest first.
 *
 * Outcomes: `due`, with how many, and 1 where there are more, else 0; `unknown`.
 */
const script = defineScript({
  name: 'queue/redeliver-failed',
  keys: ['root'],
  args: { webhook: 'text', sinceMs: 'number', limit: 'number', channel: 'text' },
  uses: [KEY_OF, DIGITS, DELIVERY_TEXT, START_OVER, WAKE],
  lua: `
local event, disabledAtMs = unpack(redis.call('HMGET', keyOf('webhook', webhook), 'event', 'disabledAtMs'))
if not event then return answer('unknown') end
local failedKey, count = keyOf('failed', webhook), 0
for _, id in ipairs(redis.call('ZRANGEBYSCORE', failedKey, sinceMs, '+inf', 'LIMIT', 0, limit)) do
  local text = redis.call('HGET', keyOf('deliveries', webhook), id)
  local delivery = text and parseDelivery(text)
  if delivery and now < delivery.expiresAtMs then
    startOver(webhook, id, delivery)
    count = count + 1
  else
    redis.call('ZREM', failedKey, id)
  end
end
if count > 0 and not disabledAtMs then
  redis.call('ZADD', rootKey .. ':due', 'LT', digits(now), webhook)
  wake(channel)
end
return answer('due', count, redis.call('ZCOUNT', failedKey, sinceMs, '+inf') > 0 and 1 or 0)
`,
});

export async function redeliverFailed(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
  { sinceMs, limit, channel }: RedeliverFailedRequest & { readonly channel: string },
): Promise<{ readonly count: number; readonly more: boolean } | null> {
  const reply = await call(script, keys, { webhook: webhookName(ref), sinceMs, limit, channel });
  if (reply.outcome(['due', 'unknown']) === 'unknown') return null;
  return { count: reply.integer(), more: reply.integer() === 1 };
}
