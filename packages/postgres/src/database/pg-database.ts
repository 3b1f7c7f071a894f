import { type CallDeadline, StorageUnavailableError } from '@latchhook/core/storage';
import type { Database, EndListening, Listener, Queryable, Row } from './database.ts';

/** The part of a `pg` client that is used. */
export interface PgClient {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'notification' | 'end', listener: () => void): unknown;
  off(event: 'error' | 'notification' | 'end', listener: () => void): unknown;
  release(destroy?: boolean): void;
  /** Since 8.9: lets the process end while the connection is open. */
  unref?(): void;
}

/** The host's own `Pool` of `pg`. Latchhook changes no setting of it, and never ends it. */
export interface PgPool {
  connect(): Promise<PgClient>;
  readonly options?: { readonly max?: number };
}

/** PostgreSQL over a pool of `pg`. */
export class PgDatabase implements Database {
  readonly #pool: PgPool;

  constructor(pool: PgPool) {
    this.#pool = pool;
  }

  query(text: string, values: readonly unknown[], deadline: CallDeadline): Promise<readonly Row[]> {
    // Bounds the wait for a connection too, which the inner `bound` does not.
    return deadline.bound(this.#queryOnce(text, values, deadline));
  }

  async transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result> {
    const pooled = new PooledClient(await this.#pool.connect());
    try {
      // The level is explicit because a database may have another default, under which a row may be read as it was
      // before its lock.
      await pooled.client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      const result = await work({ query: (text, values) => pooled.query(text, values) });
      await pooled.client.query('COMMIT');
      pooled.release();
      return result;
    } catch (error) {
      await pooled.client.query('ROLLBACK').then(
        () => pooled.release(),
        () => pooled.discard(),
      );
      throw error;
    }
  }

  async listen(
    channel: string,
    listener: Listener,
    deadline: CallDeadline,
  ): Promise<EndListening | null> {
    // Listening holds a connection permanently, which would leave none for calls.
    if (this.#pool.options?.max === 1) return null;
    return deadline.bound(this.#listenOnce(channel, listener, deadline));
  }

  async #listenOnce(
    channel: string,
    { onNotified, onLost }: Listener,
    deadline: CallDeadline,
  ): Promise<EndListening> {
    const pooled = await this.#checkOut(deadline);
    const { client } = pooled;
    const onEnd = () => {
      pooled.discard();
      onLost();
    };
    const end = async () => {
      client.off('notification', onNotified);
      client.off('end', onEnd);
      // The connection is not returned to the pool because it still listens on the channel.
      pooled.discard();
    };
    client.on('notification', onNotified);
    try {
      await deadline.bound(pooled.query(`LISTEN ${channel}`, []), () => pooled.discard());
    } catch (error) {
      await end();
      throw error;
    }
    client.on('end', onEnd);
    client.unref?.();
    return end;
  }

  async #queryOnce(text: string, values: readonly unknown[], deadline: CallDeadline) {
    const pooled = await this.#checkOut(deadline);
    try {
      // After the deadline the connection is discarded. Otherwise it would block a slot of the pool for as long as the
      // server does not respond.
      return await deadline.bound(pooled.query(text, values), () => pooled.discard());
    } finally {
      pooled.release();
    }
  }

  /**
   * @throws {StorageUnavailableError} if the pool yields the connection only after the deadline, when no caller waits
   *   any more.
   */
  async #checkOut(deadline: CallDeadline): Promise<PooledClient> {
    const pooled = new PooledClient(await this.#pool.connect());
    if (!deadline.passed) return pooled;
    pooled.release();
    throw new StorageUnavailableError('PostgreSQL had no connection in time.');
  }
}

/** A client that is checked out of the pool, and released or discarded exactly once. */
class PooledClient {
  readonly client: PgClient;
  #isReturned = false;
  // Without a listener, the event `error` would end the process. The query rejects with the same error.
  readonly #ignoreError = () => {};

  constructor(client: PgClient) {
    this.client = client;
    client.on('error', this.#ignoreError);
  }

  async query(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const { rows } = await this.client.query(text, [...values]);
    return rows;
  }

  release(): void {
    if (this.#isReturned) return;
    this.#isReturned = true;
    this.client.off('error', this.#ignoreError);
    this.client.release();
  }

  /** Closes the connection. The error listener stays because an abandoned query may still fail. */
  discard(): void {
    if (this.#isReturned) return;
    this.#isReturned = true;
    this.client.release(true);
  }
}
