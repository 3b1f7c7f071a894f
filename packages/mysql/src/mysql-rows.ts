import type { SqlPlace, SqlRange, SqlRow, SqlRowStatements } from '@latchhook/core/storage';
import type { MysqlSession } from './mysql-session.ts';
import {
  commitStatement,
  deletePlacesStatement,
  deleteStatement,
  findStatement,
  PUT_AND_COMMIT_UNTIL,
  putPlacesStatement,
  putStatement,
  rangeStatement,
  toSqlRow,
} from './mysql-statements.ts';

/** The row that was read along with the lock; null if no row has the key. */
export interface FirstRow {
  readonly key: string;
  readonly row: SqlRow | null;
}

/** The statements of a transaction on one partition. The last row is put by the statement that commits. */
export class MysqlRows implements SqlRowStatements {
  readonly #session: MysqlSession;
  readonly #partition: string;
  readonly #stripe: number;
  readonly #firstRow: FirstRow | undefined;
  /** Rows that were put, and not sent to the server yet. */
  #unsent: SqlRow[] = [];

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

  async find(keys: readonly string[]): Promise<readonly SqlRow[]> {
    // A transaction reads each row only once, before it writes, so the first row is still current.
    const { key: firstKey, row: firstRow = null } = this.#firstRow ?? {};
    const otherKeys = keys.filter((key) => key !== firstKey);
    const found = otherKeys.length < keys.length && firstRow !== null ? [firstRow] : [];
    if (otherKeys.length === 0) return found;
    const others = await this.#session.query(findStatement(this.#partition, otherKeys));
    return [...found, ...others.map(toSqlRow)];
  }

  async range(index: string, range: SqlRange): Promise<readonly SqlRow[]> {
    const rows = await this.#session.query(rangeStatement(this.#partition, index, range));
    return rows.map(toSqlRow);
  }

  async delete(keys: readonly string[]): Promise<void> {
    await this.#session.query(deleteStatement(this.#partition, keys));
  }

  async put(rows: readonly SqlRow[]): Promise<void> {
    await this.flush();
    this.#unsent = [...rows];
  }

  async deletePlaces(places: readonly SqlPlace[]): Promise<void> {
    await this.#session.query(deletePlacesStatement(this.#partition, places));
  }

  async putPlaces(places: readonly SqlPlace[]): Promise<void> {
    await this.#session.query(putPlacesStatement(this.#partition, places));
  }

  /** Sends all rows but one, which the commit sends. */
  async endWrites(): Promise<void> {
    const last = this.#unsent.pop();
    await this.flush();
    if (last !== undefined) this.#unsent = [last];
  }

  async commit(untilMs: number): Promise<void> {
    const [last] = this.#unsent;
    if (last === undefined) await this.#session.query(commitStatement(untilMs));
    else await this.#session.execute(PUT_AND_COMMIT_UNTIL, [...this.#valuesOf(last), untilMs]);
  }

  /** Sends all rows. A statement has 1 to 4, 8, 16 ... of them, so that only few different statements are prepared. */
  async flush(): Promise<void> {
    const unsent = this.#unsent;
    this.#unsent = [];
    while (unsent.length > 0) {
      const count = unsent.length <= 4 ? unsent.length : 2 ** Math.floor(Math.log2(unsent.length));
      const rows = unsent.splice(0, count);
      const values = rows.flatMap((row) => this.#valuesOf(row));
      await this.#session.execute(putStatement(rows.length), values);
    }
  }

  #valuesOf({ key, value, indexes, expiresAtMs }: SqlRow) {
    return [this.#partition, key, this.#stripe, value, indexes, expiresAtMs];
  }
}
