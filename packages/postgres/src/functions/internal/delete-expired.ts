/**
 * How many rows are deleted for each row that is added: more than one, so that the table does not grow, but few, so
 * that the deletion is quick.
 */
const ROWS_AT_ONCE = 4;

/**
 * A statement that deletes a few rows whose time in `column` was more than `afterMs` before `now_ms`. It runs with each
 * new row, so no background process is needed. It skips locked rows, so that it never waits.
 */
export function deleteExpired(table: string, column: string, afterMs = 0): string {
  return `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
  SELECT past.ctid FROM ${table} past WHERE past.${column} < now_ms - ${afterMs}
  ORDER BY past.${column} LIMIT ${ROWS_AT_ONCE} FOR UPDATE SKIP LOCKED
));`;
}
