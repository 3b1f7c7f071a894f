import type { MaybePromise } from '@latchhook/core';
import { BufferedRows, type Row, type Rows, type StorageEngine } from '@latchhook/core/storage';
import { faultyEngine, type Mutation } from './engine-mutant.ts';

/** The rows that a transaction has written, by key; `null` if deleted. */
export type Writes = ReadonlyMap<string, Row | null>;

export async function write(rows: Rows, writes: Writes): Promise<void> {
  for (const [key, row] of writes) await (row === null ? rows.delete(key) : rows.put(row));
}

/** Reads a partition with one transaction per read, so that a row may have changed by the next read. */
export function unlocked(engine: StorageEngine, partition: string): Pick<Rows, 'get' | 'range'> {
  return {
    get: (key) => engine.transact(partition, (rows) => rows.get(key)),
    range: (index, request) => engine.transact(partition, (rows) => rows.range(index, request)),
  };
}

/**
 * Runs work on rows that it reads without a lock, then `commit`, which gets the writes of work. Only `commit` stores
 * them: each call of `store` writes some of them in a transaction of its own.
 */
export function unlockedWork(
  commit: (writes: Writes, store: (writes: Writes) => Promise<void>) => MaybePromise<void>,
): Mutation {
  return faultyEngine((engine) => ({
    async transact(partition, work) {
      const rows = new BufferedRows(unlocked(engine, partition));
      const result = await work(rows, await engine.now());
      await commit(rows.writes, (writes) =>
        engine.transact(partition, (stored) => write(stored, writes)),
      );
      return result;
    },
  }));
}
