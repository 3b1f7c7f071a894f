import type { SqlDefinition } from '../../define-function.ts';

/**
 * `bound_waits(p_command_expires_at_ms)`: from here on the call waits for a lock until it expires at most; returns for
 * how long, ms. Each lock may take as long: a row takes up to two, one to queue for it and one for the row.
 *
 * A backend that waits does not notice that its caller has closed the connection: without a bound, the calls that were
 * given up at one locked row took all connections of the server, whatever the pool's size.
 */
export const boundWaits: SqlDefinition = {
  define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.bound_waits(
  p_command_expires_at_ms bigint
) RETURNS bigint LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  server_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
  -- 0 would mean no limit, and there is a largest one.
  longest_wait_ms bigint := least(greatest(p_command_expires_at_ms - server_ms, 1), 2147483647);
BEGIN
  -- It ends with the transaction, which is this call.
  PERFORM set_config('lock_timeout', longest_wait_ms::text, true);
  RETURN longest_wait_ms;
END
$function$`,
};
