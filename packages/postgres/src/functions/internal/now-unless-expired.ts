import type { SqlDefinition } from '../../define-function.ts';
import { defineStep } from './define-step.ts';

/** The SQLSTATE of an expired command, in a class that only Latchhook uses. The error's detail is the server's time. */
export const EXPIRED = 'LH001';

/**
 * `now_unless_expired(p_command_expires_at_ms, p_clock_ms)`: rejects an expired call, and returns the time for the
 * transition.
 *
 * Call it after locking the rows of the transition. Then the times of two transitions on the same row have the same
 * order as the transitions, and a transition that has waited too long for a lock is rejected. Lock waits are limited
 * again, to the remaining time, as writes may wait too: a running `CREATE INDEX` allows row locks, but no writes.
 * In tests, `p_clock_ms` replaces the time. Whether a call has expired always depends on the server's real time.
 *
 * It rejects isolation levels other than READ COMMITTED, under which a transition might read a row as it was before its
 * lock. It rejects read-only transactions because they may run on a standby, where a revoked session is still live for
 * a while.
 */
export const nowUnlessExpired: SqlDefinition = defineStep({
  name: 'now_unless_expired',
  params: 'p_command_expires_at_ms bigint, p_clock_ms bigint',
  returns: 'bigint',
  declare: `
  v_server_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
  v_longest_wait_ms bigint;
`,
  body: `
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'Latchhook needs the isolation level READ COMMITTED'
      USING ERRCODE = 'feature_not_supported';
  END IF;
  IF current_setting('transaction_read_only')::boolean THEN
    RAISE EXCEPTION 'Latchhook needs the primary, and a transaction that may write'
      USING ERRCODE = 'read_only_sql_transaction';
  END IF;
  IF v_server_ms > p_command_expires_at_ms THEN
    RAISE EXCEPTION 'Latchhook was called too late' USING ERRCODE = '${EXPIRED}', DETAIL = v_server_ms;
  END IF;
  v_longest_wait_ms := bound_waits(p_command_expires_at_ms);
  RETURN coalesce(p_clock_ms, v_server_ms);
`,
});
