import type { SqlDefinition } from '../../define-function.ts';

/** SQLSTATE, of our own class, for a command that had expired. Its detail is the time of the server. */
export const EXPIRED = 'LH001';

/**
 * `enter(p_command_expires_at_ms, p_clock_ms)`: lets a transition begin, and returns the time that it goes by.
 *
 * Call it after the rows that the transition is about are locked: so the times of two transitions on the same row
 * agree with their order, and one that waited for a lock for too long is rejected as well. It bounds the waits that
 * follow once more: `CREATE INDEX` lets rows be locked meanwhile, but not written. `p_clock_ms` replaces the time in
 * tests only; the guard compares the true time of the server in any case.
 *
 * Under any isolation level but READ COMMITTED a transition might see a row as it was before it was locked. A standby,
 * where every transaction is read only, lags behind: there, a session that was revoked since still lives.
 */
export const enter: SqlDefinition = {
  define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.enter(
  p_command_expires_at_ms bigint,
  p_clock_ms bigint
) RETURNS bigint LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  server_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'Latchhook needs the isolation level READ COMMITTED'
      USING ERRCODE = 'feature_not_supported';
  END IF;
  IF current_setting('transaction_read_only')::boolean THEN
    RAISE EXCEPTION 'Latchhook needs the primary, and a transaction that may write'
      USING ERRCODE = 'read_only_sql_transaction';
  END IF;
  IF server_ms > p_command_expires_at_ms THEN
    RAISE EXCEPTION 'Latchhook was called too late' USING ERRCODE = '${EXPIRED}', DETAIL = server_ms;
  END IF;
  PERFORM bound_waits(p_command_expires_at_ms);
  RETURN coalesce(p_clock_ms, server_ms);
END
$function$`,
};
