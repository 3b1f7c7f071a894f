import type { WebhookRef } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { KEY_OF } from './fragments/key-of.ts';

/**
 * Replaces the ciphertext of one of a webhook's secrets, if the expected one is among them.
 *
 * Outcomes: `replaced`, by this call or an earlier one; `unknown`, where neither is among them, or there is no such
 * webhook.
 */
const script = defineScript({
  name: 'replace-encrypted-webhook-secret',
  keys: ['root'],
  args: { webhook: 'text', expected: 'text', replacement: 'text' },
  uses: [KEY_OF],
  lua: `
local known = redis.call('HGET', keyOf('webhook', webhook), 'secrets')
local secrets = known and cjson.decode(known) or {}
for _, secret in ipairs(secrets) do
  if secret.encrypted == replacement then return answer('replaced') end
end
for _, secret in ipairs(secrets) do
  if secret.encrypted == expected then
    secret.encrypted = replacement
    redis.call('HSET', keyOf('webhook', webhook), 'secrets', cjson.encode(secrets))
    return answer('replaced')
  end
end
return answer('unknown')
`,
});

export async function replaceEncryptedWebhookSecret(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
  change: { readonly expected: string; readonly replacement: string },
): Promise<boolean> {
  const reply = await call(script, keys, { webhook: webhookName(ref), ...change });
  return reply.outcome(['replaced', 'unknown']) === 'replaced';
}
