import type { Row, Rows, StorageEngine } from '@latchhook/core/storage';

/** What a transaction has written, by key; `null`: deleted. */
export type Writes = ReadonlyMap<string, Row | null>;

export async function write(rows: Rows, writes: Writes): Promise<void> {
  for (const [key, row] of writes) await (row === null ? rows.delete(key) : rows.put(row));
}

/** Reads of a partition, each in its own transaction: what was read may be out of date at once. */
export function unlocked(engine: StorageEngine, partition: string): Pick<Rows, 'get' | 'range'> {
  return {
    get: (key) => engine.transact(partition, (rows) => rows.get(key)),
    range: (index, request) => engine.transact(partition, (rows) => rows.range(index, request)),
  };
}
