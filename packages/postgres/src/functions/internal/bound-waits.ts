import type { SqlDefinition } from '../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `bound_waits(p_command_expires_at_ms)`: limits each later wait for a lock to the time until the call expires, and
 * returns that time, ms. The limit applies to each lock separately. Locking a row may need two locks: one for the place
 * in the queue of waiting transactions, and one for the row.
 *
 * A waiting backend does not notice that its client has closed the connection. Without a limit, abandoned calls that
 * wait for one locked row would use up all connections of the server, whatever the size of the pool.
 */
export const boundWaits: SqlDefinition = defineStep({
  name: 'bound_waits',
  params: 'p_command_expires_at_ms bigint',
  returns: 'bigint',
  declare: `
  v_server_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
  -- 0 would mean no limit, and lock_timeout has a maximum.
  v_longest_wait_ms bigint := least(greatest(p_command_expires_at_ms - v_server_ms, 1), 2147483647);
  -- Assigned, because PERFORM would run a statement. The setting ends with the transaction, which is this call.
  v_setting text := set_config('lock_timeout', v_longest_wait_ms::text, true);
`,
  body: 'RETURN v_longest_wait_ms;',
});
