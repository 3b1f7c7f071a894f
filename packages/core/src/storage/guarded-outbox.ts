import type { CallGuard } from '../faults/call-guard.ts';
import type { Outbox, SqlTransaction } from './outbox.ts';

/** The outbox as core uses it. A failure of the host's transaction is thrown unchanged, as the driver's own error. */
export function guardedOutbox(outbox: Outbox, call: CallGuard): Outbox {
  return {
    async publishWithin(tx, message) {
      const host = new HostTransaction(tx);
      try {
        // No timeout: other statements of the transaction, or a lock of the host, may delay the publish.
        return await outbox.publishWithin(host, message);
      } catch (error) {
        if (host.failure !== null) throw host.failure.error;
        // The guard rejects with `temporarily_unavailable`, and so makes the error a fault.
        return await call(() => Promise.reject(error));
      }
    },
  };
}

type SqlResult = Awaited<ReturnType<SqlTransaction['query']>>;

/**
 * Records the error of the host's transaction, because a storage may wrap it. Hosts decide by the original error
 * whether to retry.
 */
class HostTransaction implements SqlTransaction {
  failure: { readonly error: unknown } | null = null;
  readonly #tx: SqlTransaction;

  constructor(tx: SqlTransaction) {
    this.#tx = tx;
  }

  async query(text: string, values: string[]): Promise<SqlResult> {
    try {
      const result = await this.#tx.query(text, values);
      // A wrapper of the host's transaction may return the rows without the object around them.
      if (Array.isArray(result?.rows)) return result;
      throw new TypeError('tx.query must resolve to an object with rows, as a client of pg does');
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}
