import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/** `delivery_record(d)`: a delivery as it is answered, but for the names of account and webhook. */
export const deliveryRecord: SqlDefinition = defineStep({
  name: 'delivery_record',
  params: 'd deliveries',
  returns: 'json',
  body: `
  RETURN json_build_object(
    'deliveryId', d.delivery_id,
    'event', (SELECT event FROM messages WHERE message = d.message),
    'sequence', d.sequence, 'state', d.state, 'deadReason', d.dead_reason,
    'createdAtMs', d.created_at_ms,
    'nextAttemptAtMs', CASE WHEN d.state IN ('queued', 'waiting') THEN d.due_at_ms END,
    'attempts', to_json(d.attempts));
`,
});
