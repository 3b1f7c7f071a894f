import type { OverdueRequest, ScheduledDelivery } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import { parseDeliveryRef } from '../../delivery-record.ts';
import type { CallFunction } from '../../function-caller.ts';

/** Rows of each kind that are deleted. Every sending process calls this now and then, even if nobody publishes. */
const MAX_FORGOTTEN = 1_000;

/**
 * Returns deliveries that should have started long ago, longest first, and puts them off. Outcome: `told`, with them:
 * no caller reads the word, but it is a format (`docs/formats/postgresql.md`).
 *
 * It locks deliveries and not their webhooks, of which there may be as many, and waits for no lock: a delivery that is
 * locked is being worked on, or was returned just now. A transition that read a delivery before this put it off, and
 * saves it after, knows better when it is due. One that was saved since this began to look is checked again by
 * PostgreSQL, once it is locked.
 *
 * They are put off one by one, by both keys (see `save_delivery`): for a single statement the planner would have to
 * guess how many rows it is about, and where it guesses many it reads the whole table.
 *
 * The search has a plan of its own at each call: one that the server has kept from when there were few deliveries reads
 * and sorts all there are.
 */
export const listOverdueFunction = defineFunction({
  name: 'list_overdue',
  args: { graceMs: 'bigint', limit: 'bigint', putOffMs: 'bigint' },
  declare: `
v_late record;
v_found json[] := '{}';
`,
  body: `
now_ms := enter(p_landing_limit_ms, p_clock_ms);
PERFORM forget(now_ms, ${MAX_FORGOTTEN});
FOR v_late IN EXECUTE $query$
  SELECT w.account_id, w.webhook_id, d.webhook, d.sequence, d.delivery_id, d.run
    FROM deliveries d JOIN webhooks w ON w.sequence = d.webhook
   WHERE d.state IN ('queued', 'sending', 'waiting') AND d.due_at_ms <= $1
     AND d.expires_at_ms > $2 AND (d.state <> 'sending' OR d.lease_ends_at_ms <= $2)
   ORDER BY d.due_at_ms LIMIT $3
     FOR UPDATE OF d SKIP LOCKED
$query$ USING now_ms - p_grace_ms, now_ms, p_limit LOOP
  UPDATE deliveries SET due_at_ms = now_ms + p_put_off_ms
   WHERE webhook = v_late.webhook AND sequence = v_late.sequence AND delivery_id = v_late.delivery_id;
  v_found := v_found || json_build_object('accountId', v_late.account_id, 'webhookId', v_late.webhook_id,
    'deliveryId', v_late.delivery_id, 'run', v_late.run);
END LOOP;
RETURN json_build_object('outcome', 'told', 'deliveries', to_json(v_found));
`,
});

export async function listOverdue(
  call: CallFunction,
  { graceMs, limit, putOffMs }: OverdueRequest,
): Promise<readonly ScheduledDelivery[]> {
  const answer = await call(listOverdueFunction, { graceMs, limit, putOffMs });
  return answer.list('deliveries').map((found) => ({
    ...parseDeliveryRef(found.integer('accountId'), found),
    run: found.integer('run'),
    delayMs: 0,
  }));
}
