import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `begin_anew(d, p_state, p_due_at_ms, p_now_ms)`: answers the delivery in a new run, with all its tries. The run is a
 * new one because an engine may still hold the job of the old, and would ignore the same job again. Its name is a
 * format (ADR 48); Lua has it as `beginRun`.
 */
export const beginRun: SqlDefinition = defineStep({
  name: 'begin_anew',
  params: 'd deliveries, p_state text, p_due_at_ms bigint, p_now_ms bigint',
  returns: 'deliveries',
  body: `
  d.state := p_state;
  d.dead_reason := NULL;
  d.run := d.run + 1;
  d.tries_before := 0;
  d.lost := 0;
  d.not_before_ms := p_now_ms;
  d.due_at_ms := p_due_at_ms;
  RETURN d;
`,
});

/** `hold(d)`: answers the delivery as held until its webhook is enabled. Its new run comes with its release. */
export const hold: SqlDefinition = defineStep({
  name: 'hold',
  params: 'd deliveries',
  returns: 'deliveries',
  body: `
  d.state := 'held';
  d.dead_reason := NULL;
  d.due_at_ms := NULL;
  RETURN d;
`,
});

/** `scheduled_as(d, p_now_ms)`: answers the delivery as an engine is handed it. */
export const scheduledAs: SqlDefinition = defineStep({
  name: 'scheduled_as',
  params: 'd deliveries, p_now_ms bigint',
  returns: 'json',
  body: `
  RETURN json_build_object('deliveryId', d.delivery_id, 'run', d.run,
    'delayMs', greatest(0, d.due_at_ms - p_now_ms));
`,
});
