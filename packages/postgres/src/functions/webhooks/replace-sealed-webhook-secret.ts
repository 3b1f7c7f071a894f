import type { WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Replaces the sealed form of one of a webhook's secrets, if the expected one is among them.
 *
 * Outcomes: `replaced`, by this call or one before; `unknown`, where neither is among them, or there is no such
 * webhook.
 */
export const replaceSealedWebhookSecretFunction = defineFunction({
  name: 'replace_sealed_webhook_secret',
  args: { accountId: 'bigint', webhookId: 'text', change: 'json' },
  declare: `
w webhooks;
expected text := p_change ->> 'expected';
replacement text := p_change ->> 'replacement';
`,
  body: `
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
IF EXISTS (SELECT FROM json_array_elements(w.secrets) s WHERE s ->> 'sealed' = replacement) THEN
  RETURN json_build_object('outcome', 'replaced');
END IF;
IF NOT EXISTS (SELECT FROM json_array_elements(w.secrets) s WHERE s ->> 'sealed' = expected) THEN
  RETURN json_build_object('outcome', 'unknown');
END IF;
UPDATE webhooks SET secrets = (
  SELECT json_agg(json_build_object(
      'sealed', CASE s ->> 'sealed' WHEN expected THEN replacement ELSE s ->> 'sealed' END,
      'retiresAtMs', s -> 'retiresAtMs') ORDER BY place)
    FROM json_array_elements(w.secrets) WITH ORDINALITY AS known (s, place)
) WHERE sequence = w.sequence;
RETURN json_build_object('outcome', 'replaced');
`,
});

export async function replaceSealedWebhookSecret(
  call: CallFunction,
  { accountId, webhookId }: WebhookRef,
  change: { readonly expected: string; readonly replacement: string },
): Promise<boolean> {
  const args = { accountId, webhookId, change };
  const answer = await call(replaceSealedWebhookSecretFunction, args);
  return answer.outcome(['replaced', 'unknown']) === 'replaced';
}
