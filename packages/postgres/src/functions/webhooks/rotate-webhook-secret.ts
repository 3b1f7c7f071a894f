import { SIGNING_SECRETS_KEPT, type WebhookRecord, type WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseWebhookOrNull } from '../../webhook-record.ts';

/**
 * Adds a new current secret. Older secrets retire after the overlap, or at their own time if that is earlier. Outcome:
 * `found`, with the record or `null`. A repeated call changes nothing.
 */
export const rotateWebhookSecretFunction = defineFunction({
  name: 'rotate_webhook_secret',
  args: { accountId: 'account', webhookId: 'text', secret: 'json', overlapMs: 'bigint' },
  declare: 'w webhooks;',
  body: `
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'found', 'webhook', NULL); END IF;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
IF w.secrets -> 0 ->> 'encrypted' IS DISTINCT FROM p_secret ->> 'encrypted' THEN
  SELECT json_agg(secret ORDER BY index) INTO w.secrets FROM (
    SELECT 0 AS index, json_build_object('encrypted', p_secret ->> 'encrypted', 'retiresAtMs', NULL) AS secret
    UNION ALL
    SELECT index, json_build_object('encrypted', former ->> 'encrypted',
             'retiresAtMs', least((former ->> 'retiresAtMs')::bigint, now_ms + p_overlap_ms))
      FROM json_array_elements(signing_secrets(w.secrets, now_ms))
           WITH ORDINALITY AS formers (former, index)
     WHERE index < ${SIGNING_SECRETS_KEPT}
  ) kept;
  w.updated_at_ms := now_ms;
  UPDATE webhooks SET secrets = w.secrets, updated_at_ms = w.updated_at_ms WHERE queue = w.queue;
END IF;
RETURN json_build_object('outcome', 'found', 'webhook', webhook_record(w, now_ms));
`,
});

export async function rotateWebhookSecret(
  call: CallFunction,
  ref: WebhookRef,
  { encrypted, overlapMs }: { readonly encrypted: string; readonly overlapMs: number },
): Promise<WebhookRecord | null> {
  const args = { ...ref, secret: { encrypted }, overlapMs };
  return parseWebhookOrNull(await call(rotateWebhookSecretFunction, args));
}
