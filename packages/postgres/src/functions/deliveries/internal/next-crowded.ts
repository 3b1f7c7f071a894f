import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `next_crowded(w, p_max_in_flight, p_now_ms)`: the first that was told to wait for room, where it may start, as an engine is
 * handed it; `NULL`: none. Named once: whoever is told takes it, and if they die it is due, and found late.
 */
export const nextCrowded: SqlDefinition = defineStep({
  name: 'next_crowded',
  params: 'w webhooks, p_max_in_flight bigint, p_now_ms bigint',
  returns: 'json',
  declare: `
  d deliveries;
  v_free bigint;
  v_rank bigint;
  v_in_flight bigint;
`,
  body: `
  SELECT * INTO d FROM deliveries
   WHERE webhook = w.sequence AND is_crowded AND expires_at_ms > p_now_ms
   ORDER BY sequence LIMIT 1;
  IF NOT FOUND THEN RETURN NULL; END IF;
  v_rank := rank_of(w, d.sequence, p_now_ms);
  SELECT count(*) INTO v_in_flight FROM deliveries
   WHERE webhook = w.sequence AND state = 'sending' AND due_at_ms > p_now_ms;
  -- Those before it are awake, and take the room first.
  IF v_in_flight + v_rank >= p_max_in_flight THEN RETURN NULL; END IF;
  v_free := w.rate_limit - (w.last_start - first_in_window(w, p_now_ms) + 1);
  IF v_rank >= v_free THEN RETURN NULL; END IF;
  d.is_crowded := false;
  d.due_at_ms := p_now_ms;
  PERFORM save_delivery(d);
  RETURN scheduled_as(d, p_now_ms);
`,
});
