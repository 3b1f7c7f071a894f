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
  sqlRowIn,
  stripeOf,
} from './mysql-statements.ts';

/** The statements of a transaction on one partition. The last `put` is sent with the commit, to save a round trip. */
export class MysqlRows implements SqlRowStatements {
  readonly #session: MysqlSession;
  readonly #partition: string;
  readonly #first: readonly [key: string, row: SqlRow | null] | undefined;
  /** The row of the last `put`, not yet sent to the server. */
  #unsentPut: readonly MysqlValue[] | undefined;

  /** @param first - a row that was read along with the lock */
  constructor(
    session: MysqlSession,
    partition: string,
    first: readonly [key: string, row: SqlRow | null] | undefined,
  ) {
    this.#session = session;
    this.#partition = partition;
    this.#first = first;
  }

  async find(key: string): Promise<SqlRow | null> {
    // It is current, as each row is read only once, before it is written.
    if (key === this.#first?.[0]) return this.#first[1];
    const [row] = await this.#execute(SELECT, [this.#partition, key]);
    return row === undefined ? null : sqlRowIn(row);
  }

  async range(index: string, range: SqlRange): Promise<readonly SqlRow[]> {
    return (await this.#execute(...rangeStatement(this.#partition, index, range))).map(sqlRowIn);
  }

  async put({ key, value, indexes, expiresAtMs }: SqlRow): Promise<void> {
    await this.flush();
    const stripe = stripeOf(this.#partition);
    this.#unsentPut = [this.#partition, key, stripe, value, indexes, expiresAtMs];
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
