import {
  positionFromNumber,
  positionToNumber,
  type RescheduledDelivery,
  type RescheduleRequest,
  type WebhookRef,
} from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import { parseScheduled } from '../../delivery-record.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Reschedules the deliveries of both lines by the present rate, retries first. Those without room stay parked.
 * Outcomes: `rescheduled`, with the others, whose cursors are negative if they are retries; `unknown`, with none, as
 * processes of the version before read it.
 *
 * Cost: it reads 20,000 that are parked in some 40 ms, under the lock of the webhook.
 */
export const rescheduleDeliveriesFunction = defineFunction({
  name: 'reschedule_deliveries',
  plansEachRun: true,
  args: {
    accountId: 'bigint',
    webhookId: 'text',
    rateMarginMs: 'bigint',
    maxInFlight: 'bigint',
    leaseMs: 'bigint',
    limit: 'bigint',
    after: 'bigint',
  },
  declare: `
w webhooks;
d deliveries;
v_waiting record;
v_first bigint;
v_free bigint;
v_in_flight bigint;
v_room bigint;
v_live webhooks;
v_rank bigint;
v_by text;
v_due_at_ms bigint;
v_retries_before bigint := 0;
v_queued_before bigint := 0;
v_scheduled json[] := '{}';
`,
  body: `
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
IF w.sequence IS NOT NULL AND w.disabled_at_ms IS NULL THEN
  w.rate_margin_ms := p_rate_margin_ms;
  v_first := first_in_window(w, now_ms);
  v_free := free_starts(w, v_first, now_ms);
  v_in_flight := in_flight(w, now_ms);
  v_room := p_max_in_flight - v_in_flight;
  v_live := without_forgotten(w, v_room, now_ms);
  -- The place of a delivery right behind the cursor, once for each line: the rows below are numbered from there.
  d.state := 'waiting';
  d.retry_place := 1 - least(0, p_after);
  IF p_after < 0 THEN v_retries_before := place_of(w, d, now_ms); END IF;
  d.state := 'queued';
  d.sequence := 1 + p_after;
  IF p_after > 0 THEN v_queued_before := place_of(w, d, now_ms); END IF;
  -- All of a line is read, with what is parked. A rank is never below its place, so for most of them no rank is
  -- computed.
  FOR v_waiting IN
    SELECT * FROM (
      (SELECT * FROM (
        SELECT delivery, retry_place, sequence, false AS is_first, is_parked,
               v_retries_before - 1 + row_number() OVER (ORDER BY retry_place) AS place
          FROM deliveries delivery
         WHERE webhook = w.sequence AND expires_at_ms > now_ms
           AND coalesce(p_after, -1) < 0
           AND retry_place >= w.retries_from AND retry_place > -coalesce(p_after, 0)
        ) retries
        WHERE NOT is_parked OR place < v_room AND in_turns(v_live, place, false) < v_room
        ORDER BY retry_place LIMIT p_limit)
      UNION ALL
      (SELECT * FROM (
        SELECT delivery, NULL::bigint, sequence, true, is_parked,
               v_queued_before - 1 + row_number() OVER (ORDER BY sequence) AS place
          FROM deliveries delivery
         WHERE webhook = w.sequence AND state = 'queued' AND expires_at_ms > now_ms
           AND sequence >= w.queued_from AND sequence > greatest(0, p_after)
        ) first_tries
        WHERE NOT is_parked OR place < v_room AND in_turns(v_live, place, true) < v_room
        ORDER BY sequence LIMIT p_limit)
    ) waiting
    ORDER BY retry_place, sequence LIMIT p_limit
  LOOP
    d := v_waiting.delivery;
    v_rank := in_turns(v_live, v_waiting.place, v_waiting.is_first);
    v_by := obstacle_to(v_rank, v_free, v_in_flight, p_max_in_flight);
    v_due_at_ms := d.due_at_ms;
    d := line_up(w, d, v_by, v_first, v_rank, p_max_in_flight, p_lease_ms, now_ms);
    v_scheduled := v_scheduled || json_build_object('delivery', scheduled_as(d, now_ms),
      'cursor', coalesce(-d.retry_place, d.sequence));
    -- A delivery that should have asked before stays as late as it was.
    IF v_by IS NULL THEN d.due_at_ms := least(d.due_at_ms, v_due_at_ms); END IF;
    PERFORM save_delivery(d);
  END LOOP;
  PERFORM save_webhook(w);
END IF;
RETURN json_build_object('outcome', CASE WHEN w.sequence IS NULL THEN 'unknown' ELSE 'rescheduled' END,
  'scheduled', to_json(v_scheduled));
`,
});

export async function rescheduleDeliveries(
  call: CallFunction,
  ref: WebhookRef,
  { after: position, ...request }: RescheduleRequest,
): Promise<readonly RescheduledDelivery[] | null> {
  const { accountId, webhookId } = ref;
  const after = position && positionToNumber(position);
  const args = { accountId, webhookId, ...request, after };
  const answer = await call(rescheduleDeliveriesFunction, args);
  if (answer.outcome(['rescheduled', 'unknown']) === 'unknown') return null;
  return answer.list('scheduled').map((rescheduled) => ({
    ...parseScheduled(ref, rescheduled.object('delivery')),
    position: positionFromNumber(rescheduled.integer('cursor')),
  }));
}
