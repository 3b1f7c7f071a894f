import { createHash } from 'node:crypto';
import type { RangeRequest, Row, Rows } from '@latchhook/core/storage';
import { faultyEngine, type Mutation } from './engine-mutant.ts';

/** Changes of names before they are stored. Names that become equal are confused. */
export interface NameChanges {
  partition?(name: string): string;
  key?(name: string, partition: string): string;
  index?(name: string): string;
  sortKey?(name: string): string;
}

/** The stored value: the original row and partition, so that reads return a row as it was put. */
interface Original {
  readonly partition: string;
  readonly row: Row;
}

/** Stores rows under changed names. Reads differ from those of a sound engine only for names that are confused. */
export function storeNamesAs(changes: NameChanges): Mutation {
  const same = (name: string) => name;
  const { partition: partitionAs = same, key: keyAs = same } = changes;
  const { index: indexAs = same, sortKey: sortKeyAs = same } = changes;

  const requested = ({ from, before }: RangeRequest): RangeRequest => ({
    ...(from !== undefined && { from: sortKeyAs(from) }),
    ...(before !== undefined && { before: sortKeyAs(before) }),
  });

  const rowsOf = (rows: Rows, partition: string): Rows => ({
    async get(key) {
      const stored = await rows.get(keyAs(key, partition));
      return stored === null ? null : originalOf(stored).row;
    },
    async range(index, request = {}) {
      const stored = await rows.range(indexAs(index), requested(request));
      return stored
        .map(originalOf)
        .filter((original) => original.partition === partition)
        .map(({ row }) => row)
        .slice(0, request.limit);
    },
    put: (row) =>
      rows.put({
        key: keyAs(row.key, partition),
        value: { partition, row: { ...row, indexes: Object.entries(row.indexes) } },
        indexes: Object.fromEntries(
          Object.entries(row.indexes).map(([index, sortKey]) => [
            indexAs(index),
            sortKeyAs(sortKey),
          ]),
        ),
        expiresAtMs: row.expiresAtMs,
      }),
    delete: (key) => rows.delete(keyAs(key, partition)),
  });

  return faultyEngine((engine) => ({
    transact: (partition, work) =>
      engine.transact(partitionAs(partition), (rows, nowMs) =>
        work(rowsOf(rows, partition), nowMs),
      ),
    async find(index, { limit, ...request }) {
      const stored = await engine.find(indexAs(index), { ...requested(request), limit });
      return stored.map(originalOf).map(({ partition, row }) => ({ ...row, partition }));
    },
  }));
}

function originalOf({ value }: Row): Original {
  const { partition, row } = value as Original;
  return { partition, row: { ...row, indexes: Object.fromEntries(row.indexes as never) } };
}

/** A name of valid length and characters for a text of any length. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
