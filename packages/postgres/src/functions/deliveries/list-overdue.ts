import type { ScheduledDelivery } from '@latchhook/core';
import { defineFunction } from '../../define-function.ts';
import { parseDeliveryRef } from '../../delivery-record.ts';
import type { CallFunction } from '../../function-caller.ts';

/** Every process that sends asks now and then: so what is forgotten is deleted though nobody publishes. */
const FORGOTTEN_AT_MOST = 1_000;

/** Names what should have started and has not, longest first. Outcome: `found`, with it. */
export const listOverdueFunction = defineFunction({
  name: 'list_overdue',
  args: { graceMs: 'bigint', limit: 'bigint' },
  declare: 'v_found json;',
  body: `
now_ms := enter(p_landing_limit_ms, p_clock_ms);
PERFORM forget(now_ms, ${FORGOTTEN_AT_MOST});
SELECT json_agg(json_build_object('accountId', account_id, 'webhookId', webhook_id,
         'deliveryId', delivery_id, 'run', run) ORDER BY due_at_ms) INTO v_found
  FROM (
    SELECT w.account_id, w.webhook_id, d.delivery_id, d.run, d.due_at_ms
      FROM deliveries d JOIN webhooks w ON w.sequence = d.webhook
     WHERE d.state IN ('queued', 'sending', 'waiting') AND d.due_at_ms <= now_ms - p_grace_ms
       AND d.expires_at_ms > now_ms
     ORDER BY d.due_at_ms LIMIT p_limit
  ) late;
RETURN json_build_object('outcome', 'found', 'deliveries', coalesce(v_found, '[]'));
`,
});

export async function listOverdue(
  call: CallFunction,
  { graceMs, limit }: { readonly graceMs: number; readonly limit: number },
): Promise<readonly ScheduledDelivery[]> {
  const answer = await call(listOverdueFunction, { graceMs, limit });
  return answer.list('deliveries').map((found) => ({
    ...parseDeliveryRef(found.integer('accountId'), found),
    run: found.integer('run'),
    delayMs: 0,
  }));
}
