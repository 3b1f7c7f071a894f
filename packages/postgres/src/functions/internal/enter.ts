import type { SqlDefinition } from '../../define-function.ts';

/** SQLSTATE of a call that came too late to act; its detail is the time of the server. Of a class of our own. */
export const LATE = 'LH001';

/**
 * `enter(p_landing_limit_ms, p_clock_ms)`: lets a transition begin, and answers the time that it lives in.
 *
 * Called once what the transition is about is locked: so no two transitions on the same thing have times that
 * contradict their order, and one that waited behind a lock for too long is refused as well. `p_clock_ms`
 * stands in for the time in tests alone; the guard compares the true time of the server in either case.
 *
 * Under any other level of isolation a transition might see what it locked as it was before. A standby, where every
 * transaction is read only, is behind: by what it has, whoever was revoked since lives on.
 */
export const enter: SqlDefinition = {
  define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.enter(
  p_landing_limit_ms bigint,
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
  IF server_ms > p_landing_limit_ms THEN
    RAISE EXCEPTION 'Latchhook was called too late' USING ERRCODE = '${LATE}', DETAIL = server_ms;
  END IF;
  RETURN coalesce(p_clock_ms, server_ms);
END
$function$`,
};
