import type { CallDeadline } from '@latchhook/core/storage';
import type { Database, EndListening, Listener, Queryable, Row } from './database.ts';

/** The part of a PGlite transaction that is used. */
export interface PgliteTransaction {
  query<T>(text: string, values?: unknown[]): Promise<{ readonly rows: T[] }>;
}

/** The host's own `PGlite`, or PGlite in a worker. Latchhook never closes it. */
export interface PgliteConnection extends PgliteTransaction {
  exec(script: string): Promise<unknown>;
  listen(channel: string, callback: () => void): Promise<() => Promise<void>>;
  transaction<Result>(work: (transaction: PgliteTransaction) => Promise<Result>): Promise<Result>;
}

/** PostgreSQL inside this process. PGlite has one connection, and runs one transaction at a time. */
export class PgliteDatabase implements Database {
  readonly #pglite: PgliteConnection;

  constructor(pglite: PgliteConnection) {
    this.#pglite = pglite;
  }

  query(text: string, values: readonly unknown[], deadline: CallDeadline): Promise<readonly Row[]> {
    return deadline.bound(query(this.#pglite, text, values));
  }

  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result> {
    return this.#pglite.transaction(async (transaction) => {
      // The level is explicit because a database may have another default, under which a row may be read as it was
      // before its lock.
      await transaction.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
      return work({ query: (text, values) => query(transaction, text, values) });
    });
  }

  listen(channel: string, { onNotified }: Listener, deadline: CallDeadline): Promise<EndListening> {
    const listening = this.#pglite.listen(channel, onNotified);
    // If listening begins after the deadline, no caller can stop it, so it is stopped here.
    return deadline.bound(listening, () => {
      listening.then((end) => end()).catch(() => {});
    });
  }
}

async function query(
  transaction: PgliteTransaction,
  text: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const { rows } = await transaction.query<Row>(text, [...values]);
  return rows;
}
