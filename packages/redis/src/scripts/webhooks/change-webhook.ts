import type { WebhookChange, WebhookRecord, WebhookRef } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { parseFoundWebhook } from '../../webhook-record.ts';
import { CHANGES } from './fragments/changes.ts';
import { READ_WEBHOOK } from './fragments/read-webhook.ts';

/**
 * Changes the given fields of a webhook; an empty one stays as it is. `updatedAtMs` changes only where something
 * differs, so that a repeated call answers as the first.
 *
 * Outcomes: `found`, with the time and the record; `unknown`.
 */
const script = defineScript({
  name: 'change-webhook',
  keys: ['root'],
  args: { webhook: 'text', url: 'text', rateLimit: 'text', rateLimitPeriod: 'text' },
  uses: [CHANGES, READ_WEBHOOK],
  lua: `
local record = readWebhook(webhook)
if not record then return answer('unknown') end
local function changeFrom(before, field, value)
  if value ~= '' and value ~= before then change(field, value) end
end
changeFrom(record[3], 'url', url)
changeFrom(record[4], 'rateLimit', rateLimit)
changeFrom(record[5], 'rateLimitPeriod', rateLimitPeriod)
if #changes > 0 then change('updatedAtMs', now) end
saveChanges(webhook)
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
