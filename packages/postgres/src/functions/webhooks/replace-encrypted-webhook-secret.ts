import type { WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Replaces the ciphertext of one of a webhook's secrets, if the expected one is among them.
 *
 * Outcomes: `replaced`, by this call or an earlier one; `unknown`, if the webhook has neither ciphertext or does not
 * exist.
 */
export const replaceEncryptedWebhookSecretFunction = defineFunction({
  name: 'replace_encrypted_webhook_secret',
  args: { accountId: 'account', webhookId: 'text', change: 'json' },
  declare: `
w webhooks;
expected text := p_change ->> 'expected';
replacement text := p_change ->> 'replacement';
`,
  body: `
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
IF EXISTS (SELECT FROM json_array_elements(w.secrets) s WHERE s ->> 'encrypted' = replacement) THEN
  RETURN json_build_object('outcome', 'replaced');
END IF;
IF NOT EXISTS (SELECT FROM json_array_elements(w.secrets) s WHERE s ->> 'encrypted' = expected) THEN
  RETURN json_build_object('outcome', 'unknown');
END IF;
UPDATE webhooks SET secrets = (
  SELECT json_agg(json_build_object(
      'encrypted', CASE s ->> 'encrypted' WHEN expected THEN replacement ELSE s ->> 'encrypted' END,
      'retiresAtMs', s -> 'retiresAtMs') ORDER BY index)
    FROM json_array_elements(w.secrets) WITH ORDINALITY AS known (s, index)
) WHERE queue = w.queue;
RETURN json_build_object('outcome', 'replaced');
`,
});

export async function replaceEncryptedWebhookSecret(
  call: CallFunction,
  ref: WebhookRef,
  change: { readonly expected: string; readonly replacement: string },
): Promise<boolean> {
  const result = await call(replaceEncryptedWebhookSecretFunction, { ...ref, change });
  return result.outcome(['replaced', 'unknown']) === 'replaced';
}
