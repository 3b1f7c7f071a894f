import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `next_in_line(w, p_max_in_flight, p_now_ms)`: the first that sleeps until there is room, where there is, as an
 * engine is handed it; `NULL`: none. It is awake from here on: whoever is told takes it, and if they die it is due, and
 * found late.
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
`,
  body: `
  IF w.disabled_at_ms IS NOT NULL OR w.queued + w.retries = 0 THEN RETURN NULL; END IF;
  FOR d IN
    (SELECT * FROM deliveries
      WHERE webhook = w.sequence AND is_crowded AND state = 'queued' AND expires_at_ms > p_now_ms
        AND sequence >= w.queued_from
      ORDER BY retry_place, sequence LIMIT 1)
    UNION ALL
    (SELECT * FROM deliveries
      WHERE webhook = w.sequence AND is_crowded AND state = 'waiting' AND expires_at_ms > p_now_ms
        AND retry_place >= w.retries_from
      ORDER BY retry_place, sequence LIMIT 1)
  LOOP
    v_rank := rank_of(w, d, p_now_ms);
    IF v_next_rank IS NULL OR v_rank < v_next_rank THEN
      v_next := d;
      v_next_rank := v_rank;
    END IF;
  END LOOP;
  IF v_next_rank IS NULL THEN RETURN NULL; END IF;
  -- Those before it are awake, and take the room first.
  IF in_flight(w, p_now_ms) + v_next_rank >= p_max_in_flight THEN RETURN NULL; END IF;
  v_next.is_crowded := false;
  v_next.due_at_ms := told_ms(w, first_in_window(w, p_now_ms), v_next_rank, p_now_ms);
  PERFORM save_delivery(v_next);
  RETURN scheduled_as(v_next, p_now_ms);
`,
});
