import type { SqlTransaction } from '@latchhook/core';
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';

/**
 * A transaction of Drizzle's over `pg`, for `auth.events.publish(..., { tx: drizzleTransaction(tx) })`. Drizzle
 * numbers placeholders itself, so that the text is taken apart at ours.
 */
export function drizzleTransaction(tx: Pick<NodePgDatabase, 'execute'>): SqlTransaction {
  return {
    query: (text, values) => {
      const parts = text.split(/\$\d/).map((part) => sql.raw(part));
      const placed = parts.flatMap((part, nth) =>
        nth < values.length ? [part, sql`${values[nth]}`] : [part],
      );
      return tx.execute(sql.join(placed));
    },
  };
}
