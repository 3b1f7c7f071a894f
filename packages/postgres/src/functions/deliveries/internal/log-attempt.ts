import { ATTEMPTS_KEPT, RESPONSES_KEPT } from '@latchhook/core/storage';
import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `log_attempt(d, p_result, p_response)`: answers the delivery with the attempt in flight in its log. The last of
 * `responses` belongs to the last attempt, and so on.
 *
 * A receiver's answer may contain what PostgreSQL cannot hold as text, such as NUL. So it stays `json` (not `jsonb`),
 * which is kept as it was written, and no value is read out of it here.
 */
export const logAttempt: SqlDefinition = defineStep({
  name: 'log_attempt',
  params: 'd deliveries, p_result json, p_response json',
  returns: 'deliveries',
  body: `
  d.attempts := d.attempts || json_build_object(
    'attempt', d.attempt, 'startedAtMs', d.started_at_ms, 'result', p_result);
  IF cardinality(d.attempts) > ${ATTEMPTS_KEPT} THEN d.attempts := d.attempts[2:]; END IF;
  d.responses := d.responses || p_response;
  IF cardinality(d.responses) > ${RESPONSES_KEPT} THEN d.responses := d.responses[2:]; END IF;
  RETURN d;
`,
});
