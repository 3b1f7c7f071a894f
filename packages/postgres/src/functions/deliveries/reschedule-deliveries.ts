import type { Page, ScheduledDelivery, WebhookRef } from '@latchhook/core';
import { defineFunction } from '../../define-function.ts';
import { parseScheduled } from '../../delivery-record.ts';
import type { CallFunction } from '../../function-caller.ts';

/** Tells queued deliveries, in order, when they may start by the rate of today. Outcome: `told`, with them. */
export const rescheduleDeliveriesFunction = defineFunction({
  name: 'reschedule_deliveries',
  args: {
    accountId: 'bigint',
    webhookId: 'text',
    rateMarginMs: 'bigint',
    limit: 'bigint',
    after: 'bigint',
  },
  declare: `
w webhooks;
d deliveries;
v_first bigint;
v_place bigint;
v_scheduled json[] := '{}';
`,
  body: `
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
IF w.sequence IS NOT NULL AND w.disabled_at_ms IS NULL THEN
  w.rate_margin_ms := p_rate_margin_ms;
  v_first := first_in_window(w, now_ms);
  FOR d IN
    SELECT * FROM deliveries
     WHERE webhook = w.sequence AND state = 'queued' AND expires_at_ms > now_ms
       AND sequence >= w.queued_from AND sequence > coalesce(p_after, 0)
     ORDER BY sequence LIMIT p_limit
  LOOP
    v_place := coalesce(v_place + 1, place_of(w, d, now_ms));
    d.due_at_ms := told_ms(w, v_first, in_turns(w, v_place, true), now_ms);
    d.is_crowded := false;
    PERFORM save_delivery(d);
    v_scheduled := v_scheduled || scheduled_as(d, now_ms);
  END LOOP;
  PERFORM save_webhook(w);
END IF;
RETURN json_build_object('outcome', 'told', 'scheduled', to_json(v_scheduled));
`,
});

export async function rescheduleDeliveries(
  call: CallFunction,
  ref: WebhookRef,
  { rateMarginMs, limit, after }: { readonly rateMarginMs: number } & Page,
): Promise<readonly (ScheduledDelivery & { readonly sequence: number })[]> {
  const { accountId, webhookId } = ref;
  const args = { accountId, webhookId, rateMarginMs, limit, after };
  const answer = await call(rescheduleDeliveriesFunction, args);
  return answer.list('scheduled').map((told) => ({
    ...parseScheduled(ref, told),
    sequence: told.integer('sequence'),
  }));
}
