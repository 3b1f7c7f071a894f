import type { ScheduledBatch, WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import { parseBatch } from '../../delivery-record.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Begins a new run of dead deliveries, oldest first; holds them if the webhook is disabled. Outcomes: `recovered`,
 * with those scheduled, how many there were in all, and whether there are more; `unknown`, with nothing of these, as
 * processes of the version before read them.
 */
export const recoverDeliveriesFunction = defineFunction({
  name: 'recover_deliveries',
  plansEachRun: true,
  args: { accountId: 'bigint', webhookId: 'text', sinceMs: 'bigint', limit: 'bigint' },
  declare: `
w webhooks;
d deliveries;
v_first bigint;
v_rank bigint;
v_count bigint := 0;
v_scheduled json[] := '{}';
`,
  body: `
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
w := drop_from_lines(w, now_ms);
v_first := first_in_window(w, now_ms);
FOR d IN
  SELECT * FROM deliveries
   WHERE webhook = w.sequence AND state = 'dead' AND created_at_ms >= p_since_ms
     AND expires_at_ms > now_ms
   ORDER BY created_at_ms, sequence LIMIT p_limit
LOOP
  v_count := v_count + 1;
  IF w.disabled_at_ms IS NOT NULL THEN
    w.held := w.held + 1;
    PERFORM save_delivery(hold(d));
    CONTINUE;
  END IF;
  v_rank := in_turns(w, w.retries, false);
  w := joined(w);
  d := begin_anew(d, 'waiting', next_turn_ms(w, v_first, v_rank, now_ms), now_ms);
  d.retry_place := w.last_retry_place;
  PERFORM save_delivery(d);
  v_scheduled := v_scheduled || scheduled_as(d, now_ms);
END LOOP;
PERFORM save_webhook(w);
RETURN json_build_object('outcome', CASE WHEN w.sequence IS NULL THEN 'unknown' ELSE 'recovered' END,
  'scheduled', to_json(v_scheduled), 'count', v_count,
  'more', EXISTS (
    SELECT FROM deliveries
     WHERE webhook = w.sequence AND state = 'dead' AND created_at_ms >= p_since_ms
       AND expires_at_ms > now_ms));
`,
});

export async function recoverDeliveries(
  call: CallFunction,
  ref: WebhookRef,
  { sinceMs, limit }: { readonly sinceMs: number; readonly limit: number },
): Promise<ScheduledBatch | null> {
  const { accountId, webhookId } = ref;
  return parseBatch(
    ref,
    'recovered',
    await call(recoverDeliveriesFunction, { accountId, webhookId, sinceMs, limit }),
  );
}
