import { defineScript } from '../../define-script.ts';
import type { WebhookMethod } from '../../store-methods.ts';
import { dueChannel, webhookName } from '../../webhook-keyspace.ts';
import { parseFoundWebhook, serialiseChange } from '../../webhook-record.ts';
import { NOTIFY_WORKERS } from '../queue/fragments/notify-workers.ts';
import { FILL_WINDOW } from '../queue/fragments/rate-window.ts';
import { CHANGES } from './fragments/changes.ts';
import { KEY_OF } from './fragments/key-of.ts';
import { READ_WEBHOOK } from './fragments/read-webhook.ts';

/**
 * Changes fields of a webhook. A new URL ends the backoff. A webhook in `due` is due now, so that the next claim
 * applies the new rate limit. If the period becomes a minute, the window counts as full until the last start leaves it,
 * as starts that have left the window of a second are no longer known. `updatedAtMs` changes only if a field differs,
 * so that a repeated call has the same result.
 *
 * `fields` is JSON: the fields to change with their values, as they are stored in the hash.
 *
 * Outcomes: `found`, with the time and the record; `unknown`.
 */
const script = defineScript({
  name: 'change-webhook',
  keys: ['root'],
  args: { webhook: 'text', channel: 'text', fields: 'text' },
  uses: [CHANGES, FILL_WINDOW, KEY_OF, READ_WEBHOOK, NOTIFY_WORKERS],
  lua: `
local webhookKey = keyOf('webhook', webhook)
if redis.call('EXISTS', webhookKey) == 0 then return reply('unknown') end
local changes = {}
for field, value in pairs(cjson.decode(fields)) do
  if redis.call('HGET', webhookKey, field) ~= value then
    change(changes, field, value)
    if field == 'url' then change(changes, 'backoffUntilMs', now) end
    if field == 'rateLimitPeriod' and value == 'minute' then fillWindow(webhook, changes) end
  end
end
if #changes > 0 then
  change(changes, 'updatedAtMs', now)
  local isDueEarlier = redis.call('ZADD', rootKey .. ':due', 'XX', 'LT', 'CH', now, webhook) == 1
  if isDueEarlier then notifyWorkers(channel) end
end
saveChanges(webhook, changes)
return reply('found', now, readWebhook(webhook))
`,
});

export const changeWebhook: WebhookMethod<'change'> =
  ({ call, partitions }) =>
  async (ref, change) => {
    const keys = partitions.of(ref);
    const fields = serialiseChange(change);
    const args = { webhook: webhookName(ref), channel: dueChannel(keys), fields };
    return parseFoundWebhook(await call(script, keys, args));
  };
