import type { LockingConnection } from './locking-database.ts';

/** A connection on loan from a pool: it is released, or destroyed, exactly once. */
export class ConnectionLease {
  readonly connection: LockingConnection;
  #isOver = false;

  constructor(connection: LockingConnection) {
    this.connection = connection;
  }

  /** Runs what needs no transaction. */
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

  /** Ends the loan of a connection on which something has failed. */
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

  /** The server rolls back what is open on it. */
  discard(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.connection.destroy();
  }
}
