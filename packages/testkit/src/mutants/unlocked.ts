import type { Row, Rows, StorageEngine } from '@latchhook/core/storage';

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
