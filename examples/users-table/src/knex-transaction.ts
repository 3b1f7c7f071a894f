import type { SqlTransaction } from '@latchhook/core';
import type { Knex } from 'knex';

/** A Knex transaction, for `auth.events.publish(..., { tx: knexTransaction(trx) })`. */
export function knexTransaction(trx: Knex.Transaction): SqlTransaction {
  return { query: (text, values) => trx.raw(text.replaceAll(/\$\d/g, '?'), values) };
}
