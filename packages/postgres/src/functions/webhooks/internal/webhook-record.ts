import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';

/** `signing_secrets(p_secrets, p_now_ms)`: the current signing secrets. Functions never return retired secrets. */
export const signingSecrets: SqlDefinition = defineStep({
  name: 'signing_secrets',
  params: 'p_secrets json, p_now_ms bigint',
  returns: 'json',
  body: `
  RETURN (
    SELECT coalesce(json_agg(secret ORDER BY index), '[]')
      FROM json_array_elements(p_secrets) WITH ORDINALITY AS listed (secret, index)
     WHERE secret ->> 'retiresAtMs' IS NULL OR (secret ->> 'retiresAtMs')::bigint > p_now_ms
  );
`,
});

/**
 * `webhook_record(w, p_now_ms)`: a webhook in the format of `parseWebhookRecord`.
 */
export const webhookRecord: SqlDefinition = defineStep({
  name: 'webhook_record',
  params: 'w webhooks, p_now_ms bigint',
  returns: 'json',
  body: `
  RETURN json_build_object(
    'accountId', w.account_id, 'webhookId', w.webhook_id, 'event', w.event, 'url', w.url,
    'rateLimit', w.rate_limit, 'rateLimitPeriod', w.rate_limit_period, 'sequence', w.sequence,
    'secrets', signing_secrets(w.secrets, p_now_ms),
    'createdAtMs', w.created_at_ms, 'updatedAtMs', w.updated_at_ms,
    'disabledAtMs', w.disabled_at_ms, 'disabledReason', w.disabled_reason);
`,
});
