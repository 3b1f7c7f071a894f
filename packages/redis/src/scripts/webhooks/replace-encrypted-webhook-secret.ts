import { defineScript } from '../../define-script.ts';
import type { WebhookMethod } from '../../store-methods.ts';
import { webhookName } from '../../webhook-keyspace.ts';
import { KEY_OF } from './fragments/key-of.ts';

/**
 * Replaces the ciphertext of one of a webhook's secrets, if the expected one is among them.
 *
 * Outcomes: `replaced`, by this call or an earlier one; `unknown`, if the webhook has neither ciphertext or does not
 * exist.
 */
const script = defineScript({
  name: 'replace-encrypted-webhook-secret',
  keys: ['root'],
  args: { webhook: 'text', expected: 'text', replacement: 'text' },
  uses: [KEY_OF],
  lua: `
local secretsJson = redis.call('HGET', keyOf('webhook', webhook), 'secrets')
local secrets = secretsJson and cjson.decode(secretsJson) or {}
for _, secret in ipairs(secrets) do
  if secret.encrypted == replacement then return reply('replaced') end
end
for _, secret in ipairs(secrets) do
  if secret.encrypted == expected then
    secret.encrypted = replacement
    redis.call('HSET', keyOf('webhook', webhook), 'secrets', cjson.encode(secrets))
    return reply('replaced')
  end
end
return reply('unknown')
`,
});

export const replaceEncryptedWebhookSecret: WebhookMethod<'replaceEncrypted'> =
  ({ call, partitions }) =>
  async (ref, change) => {
    const args = { webhook: webhookName(ref), ...change };
    const reply = await call(script, partitions.of(ref), args);
    return reply.outcome(['replaced', 'unknown']) === 'replaced';
  };
