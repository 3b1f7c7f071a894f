import type { SqlTransaction } from '@latchhook/core';
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';

/**
 * A Drizzle transaction over `pg`, for `auth.events.publish(..., { tx: drizzleTransaction(tx) })`. The text is split at
 * its placeholders, which come in the order of the values, because Drizzle inserts its own.
 */
export function drizzleTransaction(tx: Pick<NodePgDatabase, 'execute'>): SqlTransaction {
  return {
    query: (text, values) => {
      const parts = text.split(/\$\d/).map(sql.raw);
      return tx.execute(
        sql.join(parts.map((part, i) => (i < values.length ? sql`${part}${values[i]}` : part))),
      );
    },
  };
}
