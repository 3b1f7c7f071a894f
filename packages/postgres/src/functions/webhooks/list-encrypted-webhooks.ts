import type { EncryptedPage, WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseWebhookRef } from '../../webhook-record.ts';

/**
 * Lists webhooks of all accounts with their secrets, in the order of creation. Outcome: `listed`, with the webhooks.
 */
export const listEncryptedWebhooksFunction = defineFunction({
  name: 'list_encrypted_webhooks',
  args: { after: 'bigint', limit: 'bigint' },
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
RETURN json_build_object('outcome', 'listed', 'webhooks', (
  SELECT coalesce(json_agg(json_build_object('queue', queue, 'accountId', account_id,
      'webhookId', webhook_id, 'secrets', signing_secrets(secrets, now_ms)) ORDER BY queue), '[]')
    FROM (
      SELECT * FROM webhooks WHERE queue > coalesce(p_after, 0) ORDER BY queue LIMIT p_limit
    ) page));
`,
});

export async function listEncryptedWebhooks(
  call: CallFunction,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
): Promise<EncryptedPage<WebhookRef>> {
  const after = cursor === null ? null : Number(cursor);
  const result = await call(listEncryptedWebhooksFunction, { after, limit });
  result.expectOutcome('listed');
  const webhooks = result.list('webhooks');
  const last = webhooks.length < limit ? undefined : webhooks.at(-1);
  return {
    items: webhooks.flatMap((webhook) => {
      const owner = parseWebhookRef(webhook);
      const secrets = webhook.list('secrets');
      return secrets.map((secret) => ({ owner, encrypted: secret.text('encrypted') }));
    }),
    nextCursor: last === undefined ? null : String(last.integer('queue')),
  };
}
