import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `defer_start(w, d, p_obstacle, p_first, p_rank, p_max_in_flight, p_lease_ms, p_now_ms)`: has a delivery wait for rate
 * or room that asked to start, what is no first try behind the other retries. Answers the outcome `deferred`.
 */
export const deferStart: SqlDefinition = defineStep({
  name: 'defer_start',
  params: `w webhooks, d deliveries, p_obstacle text, p_first bigint, p_rank bigint,
  p_max_in_flight bigint, p_lease_ms bigint, p_now_ms bigint`,
  returns: 'json',
  body: `
  d := line_up(w, d, p_obstacle, p_first, p_rank, p_max_in_flight, p_lease_ms, p_now_ms);
  IF d.state <> 'queued' AND d.retry_place IS NULL THEN
    w := joined(w);
    d.retry_place := w.last_retry_place;
  END IF;
  PERFORM save_webhook(w);
  PERFORM save_delivery(d);
  RETURN json_build_object('outcome', 'deferred', 'delayMs', d.due_at_ms - p_now_ms, 'by', p_obstacle,
    'next', next_in_line(w, p_max_in_flight, p_now_ms));
`,
});
