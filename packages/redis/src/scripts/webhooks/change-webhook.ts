import type { WebhookChange, WebhookRecord, WebhookRef } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { parseFoundWebhook, serialiseChange } from '../../webhook-record.ts';
import { CHANGES } from './fragments/changes.ts';
import { KEY_OF } from './fragments/key-of.ts';
import { READ_WEBHOOK } from './fragments/read-webhook.ts';

/**
 * Changes fields of a webhook; another URL ends its pause. `updatedAtMs` changes only where something differs, so that
 * a repeated call answers as the first.
 *
 * `given` is JSON: the fields to change, and their values as the hash has them. All others stay as they are.
 *
 * Outcomes: `found`, with the time and the record; `unknown`.
 */
const script = defineScript({
  name: 'change-webhook',
  keys: ['root'],
  args: { webhook: 'text', given: 'text' },
  uses: [CHANGES, KEY_OF, READ_WEBHOOK],
  lua: `
local webhookKey = keyOf('webhook', webhook)
if redis.call('EXISTS', webhookKey) == 0 then return answer('unknown') end
local changes = {}
for field, value in pairs(cjson.decode(given)) do
  if redis.call('HGET', webhookKey, field) ~= value then
    change(changes, field, value)
    if field == 'url' then change(changes, 'pausedUntilMs', now) end
  end
end
if #changes > 0 then change(changes, 'updatedAtMs', now) end
saveChanges(webhook, changes)
return answer('found', now, readWebhook(webhook))
`,
});

export async function changeWebhook(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
  change: WebhookChange,
): Promise<WebhookRecord | null> {
  const args = { webhook: webhookName(ref), given: serialiseChange(change) };
  return parseFoundWebhook(await call(script, keys, args));
}
