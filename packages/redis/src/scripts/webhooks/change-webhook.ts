import type { WebhookChange, WebhookRecord, WebhookRef } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { dueChannel, type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { parseFoundWebhook, serialiseChange } from '../../webhook-record.ts';
import { FILL_WINDOW } from '../queue/fragments/rate-window.ts';
import { WAKE } from '../queue/fragments/wake.ts';
import { CHANGES } from './fragments/changes.ts';
import { KEY_OF } from './fragments/key-of.ts';
import { READ_WEBHOOK } from './fragments/read-webhook.ts';

/**
 * Changes fields of a webhook; another URL ends its backoff, and what waits is looked at by the new rate. Starts that
 * have left the window of a second are not known any more: where the period becomes a minute, it counts as full until
 * the last start leaves it. `updatedAtMs` changes only where something differs, so that
 * a repeated call answers as the first.
 *
 * `given` is JSON: the fields to change, and their values as the hash has them. All others stay as they are.
 *
 * Outcomes: `found`, with the time and the record; `unknown`.
 */
const script = defineScript({
  name: 'change-webhook',
  keys: ['root'],
  args: { webhook: 'text', channel: 'text', given: 'text' },
  uses: [CHANGES, FILL_WINDOW, KEY_OF, READ_WEBHOOK, WAKE],
  lua: `
local webhookKey = keyOf('webhook', webhook)
if redis.call('EXISTS', webhookKey) == 0 then return answer('unknown') end
local changes = {}
for field, value in pairs(cjson.decode(given)) do
  if redis.call('HGET', webhookKey, field) ~= value then
    change(changes, field, value)
    if field == 'url' then change(changes, 'backoffUntilMs', now) end
    if field == 'rateLimitPeriod' and value == 'minute' then fillWindow(webhook, changes) end
  end
end
if #changes > 0 then
  change(changes, 'updatedAtMs', now)
  if redis.call('ZADD', rootKey .. ':due', 'XX', 'LT', 'CH', now, webhook) == 1 then wake(channel) end
end
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
  const given = serialiseChange(change);
  const args = { webhook: webhookName(ref), channel: dueChannel(keys), given };
  return parseFoundWebhook(await call(script, keys, args));
}
