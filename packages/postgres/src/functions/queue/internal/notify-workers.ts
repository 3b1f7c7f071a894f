import type { SqlDefinition } from '../../../define-function.ts';

/**
 * `notify_workers()`: when the transaction commits, notifies workers that something is due. Several calls in one
 * transaction send one notification.
 */
export const notifyWorkers: SqlDefinition = {
  define: (schema, channel) => `CREATE OR REPLACE FUNCTION ${schema}.notify_workers()
RETURNS void LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
  PERFORM pg_notify('${channel}', '');
END
$function$`,
};
