import type { WebhookChange, WebhookRecord, WebhookRef } from '@latchhook/core';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { parseFoundWebhook } from '../../webhook-record.ts';
import { KEY_OF } from './fragments/key-of.ts';
import { READ_WEBHOOK } from './fragments/read-webhook.ts';

/**
 * Changes what is given of a webhook; what is empty stays. `updatedAtMs` moves only where something differs,
 * so that a repeated change answers as the first.
 *
 * Outcomes: `found`, with the time and the record; `unknown`.
 */
const script = defineScript({
  name: 'change-webhook',
  keys: ['root'],
  args: { webhook: 'text', url: 'text', rateLimit: 'text', rateLimitPeriod: 'text' },
  lua: `
${KEY_OF}
${READ_WEBHOOK}
local record = readWebhook(webhook)
if not record then return answer('unknown') end
local changes = {}
local function change(field, value, before)
  if value == '' or value == before then return end
  changes[#changes + 1] = field
  changes[#changes + 1] = value
end
change('url', url, record[3])
change('rateLimit', rateLimit, record[4])
change('rateLimitPeriod', rateLimitPeriod, record[5])
if #changes > 0 then
  redis.call('HSET', keyOf('webhook', webhook), 'updatedAtMs', now, unpack(changes))
end
return answer('found', now, readWebhook(webhook))
`,
});

export async function changeWebhook(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
  change: WebhookChange,
): Promise<WebhookRecord | null> {
  const reply = await call(script, keys, {
    webhook: webhookName(ref),
    url: change.url ?? '',
    rateLimit: String(change.rateLimit ?? ''),
    rateLimitPeriod: change.rateLimitPeriod ?? '',
  });
  return parseFoundWebhook(reply);
}
