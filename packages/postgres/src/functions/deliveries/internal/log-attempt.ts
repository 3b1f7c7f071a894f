import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `log_attempt(d, p_result)`: the delivery, with the attempt under way in its log. The newest 100 are kept: it
 * can be sent again without end.
 *
 * What a receiver said may hold what PostgreSQL has no text for. So the result stays JSON (and not `jsonb`), which
 * is kept as it was written, and nothing is read of it here.
 */
export const logAttempt: SqlDefinition = defineStep({
  name: 'log_attempt',
  params: 'd deliveries, p_result json',
  returns: 'deliveries',
  body: `
  d.attempts := d.attempts || json_build_object(
    'attempt', d.attempt, 'startedAtMs', d.started_at_ms, 'result', p_result);
  IF cardinality(d.attempts) > 100 THEN d.attempts := d.attempts[2:]; END IF;
  RETURN d;
`,
});
