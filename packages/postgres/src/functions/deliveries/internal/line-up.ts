import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `obstacle_to(p_rank, p_free, p_in_flight, p_max_in_flight)`: what keeps a delivery from starting that has so many before
 * it, where so many starts are free by the rate: `rate`, `in_flight`, `NULL`. Those before it could start too, or it must
 * not.
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
 * `line_up(w, d, p_obstacle, p_first, p_rank, p_max_in_flight, p_lease_ms, p_now_ms)`: the delivery as it waits in its line
 * for what is in its way, asleep where that is room; nothing in its way: to start now.
 */
export const lineUp: SqlDefinition = defineStep({
  name: 'line_up',
  params: `w webhooks, d deliveries, p_obstacle text, p_first bigint, p_rank bigint,
  p_max_in_flight bigint, p_lease_ms bigint, p_now_ms bigint`,
  returns: 'deliveries',
  body: `
  d.is_crowded := p_obstacle IS NOT DISTINCT FROM 'in_flight';
  d.due_at_ms := told_ms(w, p_first, p_rank, p_now_ms);
  IF d.is_crowded THEN
    -- When there is room at the worst, if every attempt takes its whole lease. It is named sooner.
    d.due_at_ms := greatest(d.due_at_ms, p_now_ms + ceil(p_lease_ms * (p_rank::float8 / p_max_in_flight + 1)));
  END IF;
  RETURN d;
`,
});
