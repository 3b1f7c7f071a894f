import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/** How far down the line is looked for one that sleeps: as many as end within one round trip, and more. */
const LOOKED_AT = 16;

/**
 * `next_asleep(w, p_now_ms)`: the first that was told to wait, where it may start now, as an engine is handed it;
 * it is due from now on, and found late if whoever is told dies. `NULL`: none. Those before it that are due need
 * no telling: they are about to ask.
 */
export const nextAsleep: SqlDefinition = defineStep({
  name: 'next_asleep',
  params: 'w webhooks, p_now_ms bigint',
  returns: 'json',
  declare: `
  d deliveries;
  v_rank bigint := 0;
`,
  body: `
  FOR d IN
    SELECT * FROM deliveries
     WHERE webhook = w.sequence AND state = 'queued' AND expires_at_ms > p_now_ms
       AND sequence >= w.queued_from
     ORDER BY sequence LIMIT ${LOOKED_AT}
  LOOP
    IF d.due_at_ms > p_now_ms THEN
      IF v_rank >= w.rate_limit - (w.last_start - first_in_window(w, p_now_ms) + 1) THEN RETURN NULL; END IF;
      d.due_at_ms := p_now_ms;
      PERFORM save_delivery(d);
      RETURN scheduled_as(d, p_now_ms);
    END IF;
    v_rank := v_rank + 1;
  END LOOP;
  RETURN NULL;
`,
});
