import type { SqlDefinition } from '../../../define-function.ts';

/**
 * `notify_workers()`: tells workers, as the transaction commits, that something is due. Told several times in one
 * transaction, they hear it once.
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
