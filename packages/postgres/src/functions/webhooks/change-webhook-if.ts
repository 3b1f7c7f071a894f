import type {
  ConditionalChangeOutcome,
  ConditionalWebhookChange,
  WebhookChange,
  WebhookRef,
} from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseWebhookOrNull } from '../../webhook-record.ts';
import { CHANGE_VARIABLES, changeFields } from './change-fields.ts';

/**
 * Changes the given fields of a webhook, if those that are expected are so.
 *
 * Outcomes: `found`, with the record or `null`, also where all is so already, by a call before; `differs`, with the
 * record, where a field is not as expected, and nothing is changed.
 */
export const changeWebhookIfFunction = defineFunction({
  name: 'change_webhook_if',
  args: { accountId: 'bigint', webhookId: 'text', expected: 'json', change: 'json' },
  declare: CHANGE_VARIABLES,
  // What is not expected is NULL, from which nothing differs.
  body: changeFields(`
  IF v_before.url <> p_expected ->> 'url'
      OR v_before.rate_limit <> (p_expected ->> 'rateLimit')::bigint
      OR v_before.rate_limit_period <> p_expected ->> 'rateLimitPeriod' THEN
    RETURN json_build_object('outcome', 'differs', 'webhook', webhook_record(v_before, now_ms));
  END IF;
`),
});

export async function changeWebhookIf(
  call: CallFunction,
  { accountId, webhookId }: WebhookRef,
  { expected, change }: ConditionalWebhookChange,
): Promise<ConditionalChangeOutcome | null> {
  const answer = await call(changeWebhookIfFunction, {
    accountId,
    webhookId,
    expected: fieldsOf(expected),
    change: fieldsOf(change),
  });
  const outcome = answer.outcome(['found', 'differs']) === 'found' ? 'changed' : 'differs';
  const webhook = parseWebhookOrNull(answer);
  return webhook && { outcome, webhook };
}

/** By name, since whole records are passed too. */
function fieldsOf({ url, rateLimit, rateLimitPeriod }: WebhookChange): WebhookChange {
  return {
    ...(url !== undefined && { url }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(rateLimitPeriod !== undefined && { rateLimitPeriod }),
  };
}
