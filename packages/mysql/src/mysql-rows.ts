import type { SqlRange, SqlRow, SqlRowStatements } from '@latchhook/core/storage';
import type { MysqlSession, MysqlValue } from './mysql-session.ts';
import {
  commitStatement,
  DELETE,
  deletePlacesStatement,
  PUT,
  PUT_AND_COMMIT_UNTIL,
  putPlacesStatement,
  rangeStatement,
  SELECT,
  toSqlRow,
} from './mysql-statements.ts';

/** The row that was read along with the lock; null if no row has the key. */
export interface FirstRow {
  readonly key: string;
  readonly row: SqlRow | null;
}

/** The statements of a transaction on one partition. The last `put` is sent with the commit, to save a round trip. */
export class MysqlRows implements SqlRowStatements {
  readonly #session: MysqlSession;
  readonly #partition: string;
  readonly #stripe: number;
  readonly #firstRow: FirstRow | undefined;
  /** The values of the last `put`, which is not sent to the server yet. */
  #unsentPut: readonly MysqlValue[] | undefined;

  constructor(
    session: MysqlSession,
    partition: string,
    stripe: number,
    firstRow: FirstRow | undefined,
  ) {
    this.#session = session;
    this.#partition = partition;
    this.#stripe = stripe;
    this.#firstRow = firstRow;
  }

  async find(key: string): Promise<SqlRow | null> {
    // A transaction reads each row only once, before it writes the row, so the first row is still current.
    if (key === this.#firstRow?.key) return this.#firstRow.row;
    const [row] = await this.#execute(SELECT, [this.#partition, key]);
    return row === undefined ? null : toSqlRow(row);
  }

  async range(index: string, range: SqlRange): Promise<readonly SqlRow[]> {
    return (await this.#execute(...rangeStatement(this.#partition, index, range))).map(toSqlRow);
  }

  async put({ key, value, indexes, expiresAtMs }: SqlRow): Promise<void> {
    await this.flush();
    this.#unsentPut = [this.#partition, key, this.#stripe, value, indexes, expiresAtMs];
  }

  async delete(key: string): Promise<void> {
    await this.#execute(DELETE, [this.#partition, key]);
  }

  async putPlaces(
    key: string,
    places: readonly (readonly [index: string, place: string])[],
  ): Promise<void> {
    await this.#execute(...putPlacesStatement(this.#partition, key, places));
  }

  async deletePlaces(key: string, indexes: readonly string[]): Promise<void> {
    await this.#execute(...deletePlacesStatement(this.#partition, key, indexes));
  }

  /** Sends the pending `put`. */
  async flush(): Promise<void> {
    const unsentPut = this.#unsentPut;
    this.#unsentPut = undefined;
    if (unsentPut !== undefined) await this.#session.execute(PUT, unsentPut);
  }

  async commit(untilMs: number): Promise<void> {
    if (this.#unsentPut === undefined) await this.#session.query(commitStatement(untilMs));
    else await this.#session.execute(PUT_AND_COMMIT_UNTIL, [...this.#unsentPut, untilMs]);
  }

  async #execute(sql: string, values: readonly MysqlValue[]) {
    await this.flush();
    return this.#session.execute(sql, values);
  }
}
