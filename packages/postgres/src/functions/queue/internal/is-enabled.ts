import type { SqlDefinition } from '../../../define-function.ts';

/**
 * `is_enabled(q)`: whether the webhook of a queue is enabled. The queue of a disabled webhook has no due time and does
 * not await arrivals.
 */
export const isEnabled: SqlDefinition = {
  define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.is_enabled(
  q ${schema}.queues
) RETURNS boolean LANGUAGE sql IMMUTABLE
AS $function$
  SELECT q.due_at_ms IS NOT NULL OR q.awaits_arrival
$function$`,
};
