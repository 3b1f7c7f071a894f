import type { SqlDefinition } from '../../../define-function.ts';

/**
 * `wake_workers()`: tells workers, as the transaction commits, that something is due. Told several times in one
 * transaction, they hear it once.
 */
export const wakeWorkers: SqlDefinition = {
  define: (schema, channel) => `CREATE OR REPLACE FUNCTION ${schema}.wake_workers()
RETURNS void LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
  PERFORM pg_notify('${channel}', '');
END
$function$`,
};
