import type { ScheduledBatch, WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import { parseBatch } from '../../delivery-record.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Queues held deliveries of an enabled webhook, oldest first. Those never tried get their place in the order of
 * publishing, the others wait as retries. Outcomes: `released`, with those scheduled, how many, and whether there
 * are more; `unknown`, with nothing of these, as processes of the version before read them.
 */
export const releaseDeliveriesFunction = defineFunction({
  name: 'release_deliveries',
  plansEachRun: true,
  args: { accountId: 'bigint', webhookId: 'text', limit: 'bigint' },
  declare: `
w webhooks;
d deliveries;
v_first bigint;
v_place bigint;
v_rank bigint;
v_before bigint;
v_scheduled json[] := '{}';
`,
  body: `
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
IF w.sequence IS NULL OR w.disabled_at_ms IS NOT NULL THEN
  RETURN json_build_object('outcome', CASE WHEN w.sequence IS NULL THEN 'unknown' ELSE 'released' END,
    'scheduled', '[]'::json, 'count', 0, 'more', false);
END IF;
w := drop_from_lines(w, now_ms);
v_first := first_in_window(w, now_ms);
FOR d IN
  SELECT * FROM deliveries
   WHERE webhook = w.sequence AND state = 'held' AND expires_at_ms > now_ms
   ORDER BY sequence LIMIT p_limit
LOOP
  w := leave_lines(w, d);
  IF d.attempt = 0 THEN
    w.queued := w.queued + 1;
    w.queued_from := least(w.queued_from, d.sequence);
    -- Behind the one before it and what is queued between the two: only the first is counted from the beginning.
    IF v_place IS NULL THEN
      d.state := 'queued';
      v_place := place_of(w, d, now_ms);
    ELSE
      v_place := v_place + 1 + (
        SELECT count(*) FROM deliveries
         WHERE webhook = w.sequence AND state = 'queued' AND expires_at_ms > now_ms
           AND sequence > v_before AND sequence < d.sequence);
    END IF;
    v_before := d.sequence;
    v_rank := in_turns(w, v_place, true);
    d := begin_anew(d, 'queued', next_turn_ms(w, v_first, v_rank, now_ms), now_ms);
  ELSE
    v_rank := in_turns(w, w.retries, false);
    w := joined(w);
    d := begin_anew(d, 'waiting', next_turn_ms(w, v_first, v_rank, now_ms), now_ms);
    d.retry_place := w.last_retry_place;
  END IF;
  PERFORM save_delivery(d);
  v_scheduled := v_scheduled || scheduled_as(d, now_ms);
END LOOP;
PERFORM save_webhook(w);
RETURN json_build_object('outcome', 'released', 'scheduled', to_json(v_scheduled),
  'count', cardinality(v_scheduled),
  'more', EXISTS (
    SELECT FROM deliveries
     WHERE webhook = w.sequence AND state = 'held' AND expires_at_ms > now_ms));
`,
});

export async function releaseDeliveries(
  call: CallFunction,
  ref: WebhookRef,
  { limit }: { readonly limit: number },
): Promise<ScheduledBatch | null> {
  const { accountId, webhookId } = ref;
  return parseBatch(
    ref,
    'released',
    await call(releaseDeliveriesFunction, { accountId, webhookId, limit }),
  );
}
