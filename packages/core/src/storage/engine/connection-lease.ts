import type { LockingConnection } from './locking-database.ts';

/** A connection that is checked out of a pool, and released or destroyed exactly once. */
export class ConnectionLease {
  readonly connection: LockingConnection;
  #isReturned = false;

  constructor(connection: LockingConnection) {
    this.connection = connection;
  }

  /** Runs work outside of a transaction, and releases the connection. */
  async runOutsideTransaction<Result>(
    work: (connection: LockingConnection) => Promise<Result>,
  ): Promise<Result> {
    try {
      const result = await work(this.connection);
      this.release();
      return result;
    } catch (error) {
      await this.rollBack();
      throw error;
    }
  }

  /** Rolls back after a failure, and releases the connection. */
  async rollBack(): Promise<void> {
    await this.connection.rollback().then(
      () => this.release(),
      () => this.destroy(),
    );
  }

  release(): void {
    if (this.#isReturned) return;
    this.#isReturned = true;
    this.connection.release();
  }

  /** Destroys the connection. The server rolls back its open transaction. */
  destroy(): void {
    if (this.#isReturned) return;
    this.#isReturned = true;
    this.connection.destroy();
  }
}
