import { AssertionError } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { FoundRow, RangeRequest, Row, StorageEngine } from '@latchhook/core/storage';
import { keysOf, rowMembers } from '../actions/engine-calls.ts';

/** The contract allows a second; the rest is for busy machines. */
const FOUND_WITHIN_MS = 1_200;

interface FindRequest extends RangeRequest {
  /** Default: `i`. */
  readonly index?: string;
  /** What to compare of the found rows. Default: the keys. */
  readonly pick?: (rows: readonly FoundRow[]) => unknown;
}

/** One connection, with short calls for one partition: `p`, unless `in` chose another. */
export class EngineConnection {
  readonly engine: StorageEngine;
  readonly #partition: string;

  constructor(engine: StorageEngine, partition = 'p') {
    this.engine = engine;
    this.#partition = partition;
  }

  in(partition: string): EngineConnection {
    return new EngineConnection(this.engine, partition);
  }

  transact<Result>(
    work: Parameters<typeof this.engine.transact<Result>>[1],
    firstKey?: string,
  ): Promise<Result> {
    return this.engine.transact(this.#partition, work, firstKey);
  }

  now(): Promise<number> {
    return this.engine.now();
  }

  /** Puts rows in one transaction. */
  async put(...rows: readonly Row[]): Promise<void> {
    await this.transact(async ({ put }) => {
      for (const row of rows) await put(row);
    });
  }

  get(key: string): Promise<Row | null> {
    return this.transact(async (rows) => rowMembers(await rows.get(key)));
  }

  delete(key: string): Promise<void> {
    return this.transact((rows) => rows.delete(key));
  }

  range(index = 'i', request?: RangeRequest): Promise<readonly Row[]> {
    return this.transact(async (rows) =>
      (await rows.range(index, request)).map((row) => rowMembers(row) ?? row),
    );
  }

  /** Asserts that `find` returns the expected rows of all partitions within a second. */
  async assertFinds(
    expected: unknown,
    { index = 'i', pick = keysOf, limit = 9, ...bounds }: FindRequest = {},
  ): Promise<void> {
    const giveUpAtMs = performance.now() + FOUND_WITHIN_MS;
    for (;;) {
      const actual = pick(await this.engine.find(index, { ...bounds, limit }));
      if (isDeepStrictEqual(actual, expected)) return;
      if (performance.now() > giveUpAtMs) {
        throw new AssertionError({ message: 'finds other rows', actual, expected });
      }
      await delay(5);
    }
  }
}
