import { REWAKE_AFTER_MS } from '@latchhook/core/storage';
import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `next_in_line(w, p_max_in_flight, p_now_ms)`: where there is room and a delivery is parked, answers the one whose
 * turn it is, if that is late, or else the first that is parked, as an engine is handed it; otherwise `NULL`. The one
 * answered is not parked from here on: the caller sees to it, and if it dies the delivery is due, and woken again.
 */
export const nextInLine: SqlDefinition = defineStep({
  name: 'next_in_line',
  params: 'w webhooks, p_max_in_flight bigint, p_now_ms bigint',
  returns: 'json',
  declare: `
  d deliveries;
  v_next deliveries;
  v_rank bigint;
  v_next_rank bigint;
  v_room bigint;
  v_head deliveries;
  v_live webhooks;
`,
  body: `
  IF w.disabled_at_ms IS NOT NULL OR w.queued + w.retries = 0 THEN RETURN NULL; END IF;
  v_room := p_max_in_flight - in_flight(w, p_now_ms);
  IF v_room <= 0 THEN RETURN NULL; END IF;
  FOR d IN
    (SELECT * FROM deliveries
      WHERE webhook = w.sequence AND is_parked AND state = 'queued' AND expires_at_ms > p_now_ms
        AND sequence >= w.queued_from
      ORDER BY retry_place, sequence LIMIT 1)
    UNION ALL
    (SELECT * FROM deliveries
      WHERE webhook = w.sequence AND is_parked AND state = 'waiting' AND expires_at_ms > p_now_ms
        AND retry_place >= w.retries_from
      ORDER BY retry_place, sequence LIMIT 1)
  LOOP
    IF v_live.sequence IS NULL THEN v_live := without_forgotten(w, v_room, p_now_ms); END IF;
    v_rank := rank_of(v_live, d, p_now_ms);
    IF v_next_rank IS NULL OR v_rank < v_next_rank THEN
      v_next := d;
      v_next_rank := v_rank;
    END IF;
  END LOOP;
  IF v_next_rank IS NULL THEN RETURN NULL; END IF;
  v_head := whose_turn(w, p_now_ms);
  IF v_head.due_at_ms <= p_now_ms - ${REWAKE_AFTER_MS} THEN
    v_next := v_head;
    v_next_rank := 0;
  ELSIF v_next_rank >= v_room THEN
    -- The deliveries before it are not parked, and take the room first.
    RETURN NULL;
  END IF;
  v_next.is_parked := false;
  v_next.due_at_ms := next_turn_ms(w, first_in_window(w, p_now_ms), v_next_rank, p_now_ms);
  PERFORM save_delivery(v_next);
  RETURN scheduled_as(v_next, p_now_ms);
`,
});

/** `whose_turn(w, p_now_ms)`: the delivery with no other before it. Call it only where at least one waits. */
export const whoseTurn: SqlDefinition = defineStep({
  name: 'whose_turn',
  params: 'w webhooks, p_now_ms bigint',
  returns: 'deliveries',
  declare: `
  v_first_try deliveries;
  v_retry deliveries;
`,
  body: `
  SELECT * INTO v_first_try FROM deliveries
   WHERE webhook = w.sequence AND state = 'queued' AND expires_at_ms > p_now_ms AND sequence >= w.queued_from
   ORDER BY sequence LIMIT 1;
  SELECT * INTO v_retry FROM deliveries
   WHERE webhook = w.sequence AND expires_at_ms > p_now_ms AND retry_place >= w.retries_from
   ORDER BY retry_place LIMIT 1;
  IF v_retry.sequence IS NULL OR w.was_retry_last AND v_first_try.sequence IS NOT NULL THEN RETURN v_first_try; END IF;
  RETURN v_retry;
`,
});
