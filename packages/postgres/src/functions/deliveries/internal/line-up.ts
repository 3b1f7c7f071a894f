import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `obstacle_to(p_rank, p_free, p_in_flight, p_max_in_flight)`: what keeps a delivery with `p_rank` others before it
 * from starting, where the rate has `p_free` starts left: `rate`, `in_flight`, or `NULL`. It may start only where all
 * of those could start too.
 */
export const obstacleTo: SqlDefinition = defineStep({
  name: 'obstacle_to',
  params: 'p_rank bigint, p_free bigint, p_in_flight bigint, p_max_in_flight bigint',
  returns: 'text',
  body: `
  RETURN CASE
    WHEN p_in_flight + p_rank >= p_max_in_flight THEN 'in_flight'
    WHEN p_rank >= p_free THEN 'rate'
  END;
`,
});

/**
 * `line_up(w, d, p_obstacle, p_first, p_rank, p_max_in_flight, p_lease_ms, p_now_ms)`: answers the delivery as it waits
 * in its line, parked if the obstacle is room; without an obstacle: due now.
 */
export const lineUp: SqlDefinition = defineStep({
  name: 'line_up',
  params: `w webhooks, d deliveries, p_obstacle text, p_first bigint, p_rank bigint,
  p_max_in_flight bigint, p_lease_ms bigint, p_now_ms bigint`,
  returns: 'deliveries',
  body: `
  d.is_parked := p_obstacle IS NOT DISTINCT FROM 'in_flight';
  d.due_at_ms := next_turn_ms(w, p_first, p_rank, p_now_ms);
  IF d.is_parked THEN
    -- The worst case: every attempt takes its whole lease. Mostly the delivery is woken sooner.
    d.due_at_ms := greatest(d.due_at_ms, greatest(p_now_ms, pause_end(w, p_now_ms))
      + ceil(p_lease_ms * (p_rank::float8 / p_max_in_flight + 1)));
  END IF;
  RETURN d;
`,
});
