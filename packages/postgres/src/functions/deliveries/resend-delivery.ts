import type { DeliveryRef, ResendOutcome } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import { parseScheduled } from '../../delivery-record.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Begins a new run of a delivery, unless it is on its way already. Outcomes: `scheduled`, with run and delay;
 * `under_way`; `held`; `unknown`.
 */
export const resendDeliveryFunction = defineFunction({
  name: 'resend_delivery',
  byIndexes: true,
  args: { accountId: 'bigint', webhookId: 'text', deliveryId: 'text' },
  declare: `
w webhooks;
d deliveries;
v_rank bigint;
`,
  body: `
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
SELECT * INTO d FROM deliveries
 WHERE webhook = w.sequence AND delivery_id = p_delivery_id AND expires_at_ms > now_ms;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'unknown'); END IF;
IF d.state IN ('queued', 'sending') OR d.state = 'waiting' AND d.not_before_ms <= now_ms THEN
  RETURN json_build_object('outcome', 'under_way');
END IF;
w := leave_lines(w, d);
IF w.disabled_at_ms IS NOT NULL THEN
  w.held := w.held + 1;
  PERFORM save_webhook(w);
  PERFORM save_delivery(hold(d));
  RETURN json_build_object('outcome', 'held');
END IF;
w := drop_from_lines(w, now_ms);
v_rank := in_turns(w, w.retries, false);
w := joined(w);
d := begin_anew(d, 'waiting', next_turn_ms(w, first_in_window(w, now_ms), v_rank, now_ms), now_ms);
d.retry_place := w.last_retry_place;
PERFORM save_webhook(w);
PERFORM save_delivery(d);
RETURN json_build_object('outcome', 'scheduled', 'scheduled', scheduled_as(d, now_ms));
`,
});

export async function resendDelivery(call: CallFunction, ref: DeliveryRef): Promise<ResendOutcome> {
  const { accountId, webhookId, deliveryId } = ref;
  const answer = await call(resendDeliveryFunction, { accountId, webhookId, deliveryId });
  const outcome = answer.outcome(['scheduled', 'under_way', 'held', 'unknown']);
  if (outcome !== 'scheduled') return { outcome };
  return { outcome, scheduled: parseScheduled(ref, answer.object('scheduled')) };
}
