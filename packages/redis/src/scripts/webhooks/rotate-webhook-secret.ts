import { SIGNING_SECRETS_KEPT } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { WebhookMethod } from '../../store-methods.ts';
import { webhookName } from '../../webhook-keyspace.ts';
import { parseFoundWebhook, WEBHOOK } from '../../webhook-record.ts';
import { KEY_OF } from './fragments/key-of.ts';
import { READ_WEBHOOK } from './fragments/read-webhook.ts';

/**
 * Adds a new current secret. Older secrets retire after `overlapMs`, or at their own time if that is earlier.
 *
 * Outcomes: `found`, with the time and the record; `unknown`. If the secret is already the current one, nothing
 * changes.
 */
const script = defineScript({
  name: 'rotate-webhook-secret',
  keys: ['root'],
  args: { webhook: 'text', encrypted: 'text', overlapMs: 'number' },
  uses: [KEY_OF, READ_WEBHOOK],
  lua: `
local record = readWebhook(webhook)
if not record then return reply('unknown') end
local storedSecrets = cjson.decode(record[${WEBHOOK.at.secrets}])
local currentSecret = unpack(storedSecrets)
if currentSecret.encrypted == encrypted then return reply('found', now, record) end

local secrets = {{encrypted = encrypted, retiresAtMs = cjson.null}}
for _, secret in ipairs(storedSecrets) do
  local retiresAtMs = now + overlapMs
  if secret.retiresAtMs ~= cjson.null then retiresAtMs = math.min(retiresAtMs, secret.retiresAtMs) end
  if now < retiresAtMs and #secrets < ${SIGNING_SECRETS_KEPT} then
    secrets[#secrets + 1] = {encrypted = secret.encrypted, retiresAtMs = retiresAtMs}
  end
end
redis.call('HSET', keyOf('webhook', webhook), 'secrets', cjson.encode(secrets), 'updatedAtMs', now)
return reply('found', now, readWebhook(webhook))
`,
});

export const rotateWebhookSecret: WebhookMethod<'rotateSecret'> =
  ({ call, partitions }) =>
  async (ref, { encrypted, overlapMs }) => {
    const args = { webhook: webhookName(ref), encrypted, overlapMs };
    return parseFoundWebhook(await call(script, partitions.of(ref), args));
  };
