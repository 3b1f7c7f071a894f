/** So many go for each one that comes: enough to keep up, and soon done. */
const AT_ONCE = 4;

/**
 * A statement that deletes some rows whose time, in `column`, was before `now_ms`: what expires is forgotten on
 * the way of what is new, so that nobody has to sweep.
 *
 * Those that somebody else has locked are left: no transition waits for the sake of what is over.
 */
export function forgetPast(table: string, column: string): string {
  return `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
  SELECT past.ctid FROM ${table} past WHERE past.${column} < now_ms
  ORDER BY past.${column} LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED
));`;
}
