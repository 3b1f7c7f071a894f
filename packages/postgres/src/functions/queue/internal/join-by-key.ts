/**
 * Joins the row of a table that meets a condition on its key. Because of `LIMIT`, the planner looks up the row by the
 * key: another join may read the whole table if the plan was made for a small one.
 */
export function joinByKey(table: string, alias: string, condition: string): string {
  return `CROSS JOIN LATERAL (SELECT * FROM ${table} ${alias} WHERE ${condition} LIMIT 1) ${alias}`;
}
