import type { ListedDelivery, Page, WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import { parseListedDelivery } from '../../delivery-record.ts';
import type { CallFunction } from '../../function-caller.ts';
import { LISTED_DELIVERY } from './internal/listed-delivery.ts';

/** Lists deliveries, newest first, without what receivers answered. Outcomes: `listed`, with them; `unknown`. */
export const listDeliveriesFunction = defineFunction({
  name: 'list_deliveries',
  plansEachRun: true,
  args: { accountId: 'bigint', webhookId: 'text', limit: 'bigint', after: 'bigint' },
  declare: `
v_webhook bigint;
v_listed json;
`,
  body: `
now_ms := enter(p_landing_limit_ms, p_clock_ms);
SELECT sequence INTO v_webhook FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'unknown'); END IF;
SELECT json_agg(${LISTED_DELIVERY} ORDER BY d.sequence DESC) INTO v_listed
  FROM (
    SELECT delivery_id, message, sequence, state, dead_reason, created_at_ms, due_at_ms, attempts
      FROM deliveries
     WHERE webhook = v_webhook AND expires_at_ms > now_ms
       AND (p_after IS NULL OR sequence < p_after)
     ORDER BY sequence DESC LIMIT p_limit
  ) d;
RETURN json_build_object('outcome', 'listed', 'deliveries', coalesce(v_listed, '[]'));
`,
});

export async function listDeliveries(
  call: CallFunction,
  ref: WebhookRef,
  { limit, after }: Page,
): Promise<readonly ListedDelivery[] | null> {
  const { accountId, webhookId } = ref;
  const answer = await call(listDeliveriesFunction, { accountId, webhookId, limit, after });
  if (answer.outcome(['listed', 'unknown']) === 'unknown') return null;
  return answer.list('deliveries').map((listed) => parseListedDelivery(ref, listed));
}
