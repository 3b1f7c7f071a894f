import type { LockingConnection } from './locking-database.ts';

/** A connection that is checked out of a pool, and released or destroyed exactly once. */
export class ConnectionLease {
  readonly connection: LockingConnection;
  #isOver = false;

  constructor(connection: LockingConnection) {
    this.connection = connection;
  }

  /** Runs work outside of a transaction. */
  async outside<Result>(work: (connection: LockingConnection) => Promise<Result>): Promise<Result> {
    try {
      const result = await work(this.connection);
      this.end();
      return result;
    } catch (error) {
      await this.rollBack();
      throw error;
    }
  }

  /** Rolls back after a failure, and releases the connection. */
  async rollBack(): Promise<void> {
    await this.connection.rollback().then(
      () => this.end(),
      () => this.discard(),
    );
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.connection.release();
  }

  /** Destroys the connection. The server rolls back its open transaction. */
  discard(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.connection.destroy();
  }
}
