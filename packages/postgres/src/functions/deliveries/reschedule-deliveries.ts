import type { Page, RescheduledDelivery, WebhookRef } from '@latchhook/core';
import { defineFunction } from '../../define-function.ts';
import { parseScheduled } from '../../delivery-record.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Tells those of both lines, retries first, when they may start by the rate of today. Outcome: `told`, with them. The
 * cursors of retries are negative.
 */
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
v_is_first boolean;
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
    SELECT * FROM (
      (SELECT * FROM deliveries
        WHERE webhook = w.sequence AND expires_at_ms > now_ms
          AND coalesce(p_after, -1) < 0
          AND retry_place >= w.retries_from AND retry_place > -coalesce(p_after, 0)
        ORDER BY retry_place LIMIT p_limit)
      UNION ALL
      (SELECT * FROM deliveries
        WHERE webhook = w.sequence AND state = 'queued' AND expires_at_ms > now_ms
          AND sequence >= w.queued_from AND sequence > greatest(0, p_after)
        ORDER BY sequence LIMIT p_limit)
    ) waiting
    ORDER BY retry_place, sequence LIMIT p_limit
  LOOP
    -- Counted once for each line, and not from the beginning.
    IF v_is_first IS DISTINCT FROM (d.state = 'queued') THEN
      v_is_first := d.state = 'queued';
      v_place := place_of(w, d, now_ms);
    ELSE
      v_place := v_place + 1;
    END IF;
    d.due_at_ms := told_ms(w, v_first, in_turns(w, v_place, v_is_first), now_ms);
    d.is_crowded := false;
    PERFORM save_delivery(d);
    v_scheduled := v_scheduled || json_build_object('delivery', scheduled_as(d, now_ms),
      'cursor', coalesce(-d.retry_place, d.sequence));
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
): Promise<readonly RescheduledDelivery[]> {
  const { accountId, webhookId } = ref;
  const args = { accountId, webhookId, rateMarginMs, limit, after };
  const answer = await call(rescheduleDeliveriesFunction, args);
  return answer.list('scheduled').map((told) => ({
    ...parseScheduled(ref, told.object('delivery')),
    cursor: told.integer('cursor'),
  }));
}
