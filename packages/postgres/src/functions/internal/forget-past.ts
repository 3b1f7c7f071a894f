/** Rows deleted for each one that is added: more than one, to keep up, and few, to be quick. */
const ROWS_AT_ONCE = 4;

/**
 * A statement that deletes a few rows whose time, in `column`, was more than `afterMs` before `now_ms`. It runs with
 * each new row, so that no process has to sweep. Rows that are locked are left for later: no transition waits to delete
 * them.
 */
export function forgetPast(table: string, column: string, afterMs = 0): string {
  return `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
  SELECT past.ctid FROM ${table} past WHERE past.${column} < now_ms - ${afterMs}
  ORDER BY past.${column} LIMIT ${ROWS_AT_ONCE} FOR UPDATE SKIP LOCKED
));`;
}
