import { createHash } from 'node:crypto';
import type { RangeRequest, Row, Rows } from '@latchhook/core/storage';
import { engineThat, type Mutation } from './engine-mutant.ts';

/** How names are kept: two that are kept alike are one. */
export interface Disguise {
  partition?(name: string): string;
  key?(name: string, partition: string): string;
  index?(name: string): string;
  place?(name: string): string;
}

/** What is kept of a row, so that it is answered as it was put, whatever it is kept under. */
interface Kept {
  readonly partition: string;
  readonly row: Row;
}

/** Keeps rows under other names, and shows it only where two of them are one. */
export function disguised(disguise: Disguise): Mutation {
  const same = (name: string) => name;
  const { partition: partitionAs = same, key: keyAs = same } = disguise;
  const { index: indexAs = same, place: placeAs = same } = disguise;

  const requested = ({ from, before }: RangeRequest): RangeRequest => ({
    ...(from !== undefined && { from: placeAs(from) }),
    ...(before !== undefined && { before: placeAs(before) }),
  });

  const rowsOf = (rows: Rows, partition: string): Rows => ({
    async get(key) {
      const found = await rows.get(keyAs(key, partition));
      return found === null ? null : keptIn(found).row;
    },
    async range(index, request = {}) {
      const found = await rows.range(indexAs(index), requested(request));
      return found
        .map(keptIn)
        .filter((kept) => kept.partition === partition)
        .map(({ row }) => row)
        .slice(0, request.limit);
    },
    put: (row) =>
      rows.put({
        key: keyAs(row.key, partition),
        value: { partition, row: { ...row, indexes: Object.entries(row.indexes) } },
        indexes: Object.fromEntries(
          Object.entries(row.indexes).map(([index, place]) => [indexAs(index), placeAs(place)]),
        ),
        expiresAtMs: row.expiresAtMs,
      }),
    delete: (key) => rows.delete(keyAs(key, partition)),
  });

  return engineThat((sound) => ({
    transact: (partition, work) =>
      sound.transact(partitionAs(partition), (rows, nowMs) => work(rowsOf(rows, partition), nowMs)),
    async find(index, { limit, ...request }) {
      const found = await sound.find(indexAs(index), { ...requested(request), limit });
      return found.map((row) => {
        const kept = keptIn(row);
        return { ...kept.row, partition: kept.partition };
      });
    },
  }));
}

function keptIn({ value }: Row): Kept {
  const { partition, row } = value as Kept;
  return { partition, row: { ...row, indexes: Object.fromEntries(row.indexes as never) } };
}

/** Of any length, as one name of the alphabet of keys. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
