import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `end_under_way(w, d, p_max_lost_attempts, p_withdrawn_start_at_ms, p_now_ms)`: ends the attempt in flight of a
 * delivery that is asked to start again. Answers webhook and delivery after it, and what came of it:
 *
 * - `withdrawn`: it was the one that started at that time, and was too late. Its number and its start are free again.
 * - `lost`: its lease is over. The caller saves that, with where it waits now.
 * - `poisoned`: the same, and it was the last. The delivery is dead.
 * - `under_way`: it is another one, with a lease. Nothing changed.
 */
export const endUnderWay: SqlDefinition = defineStep({
  name: 'end_under_way',
  params: `INOUT w webhooks, INOUT d deliveries, p_max_lost_attempts bigint, p_withdrawn_start_at_ms bigint,
  p_now_ms bigint, OUT outcome text`,
  returns: 'record',
  body: `
  IF d.started_at_ms = p_withdrawn_start_at_ms THEN
    outcome := 'withdrawn';
    w := withdraw_start(w, d.started_at_ms);
    d.attempt := d.attempt - 1;
    d.due_at_ms := p_now_ms;
    d.state := CASE WHEN d.attempt = 0 AND d.run = 1 THEN 'queued' ELSE 'waiting' END;
    IF d.state = 'queued' THEN
      w.queued := w.queued + 1;
      w.queued_from := least(w.queued_from, d.sequence);
    END IF;
    -- Saved already here, since its place and the number of attempts in flight are read from the tables.
    PERFORM save_webhook(w);
    PERFORM save_delivery(d);
    RETURN;
  END IF;

  outcome := 'under_way';
  IF p_now_ms < d.lease_ends_at_ms THEN RETURN; END IF;

  outcome := 'lost';
  d := log_attempt(d, json_build_object('status', NULL,
    'durationMs', d.lease_ends_at_ms - d.started_at_ms, 'error', 'lost'), 'null');
  d.lost := d.lost + 1;
  d.state := 'waiting';
  d.not_before_ms := p_now_ms;
  d.due_at_ms := p_now_ms;
  IF d.lost < p_max_lost_attempts THEN RETURN; END IF;

  outcome := 'poisoned';
  d.state := 'dead';
  d.dead_reason := 'poison';
  d.due_at_ms := NULL;
  PERFORM save_delivery(d);
`,
});
