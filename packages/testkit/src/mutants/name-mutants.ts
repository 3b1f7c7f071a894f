import type { Row } from '@latchhook/core/storage';
import { CONTRACT } from '../engine/contract.ts';
import { type EngineMutant, faultyRows, type Mutation, mutantsThatBreak } from './engine-mutant.ts';
import { digest, storingNamesAs } from './storing-names-as.ts';

const folded = (name: string) => name.toLowerCase();
const cut = (name: string) => name.slice(0, 64);
const trimmed = (name: string) => name.replace(/[-_/:]+$/, '') || name;
const alphanumeric = (name: string) => name.replaceAll(/[-_/:]/g, '_');
const numeric = (name: string) => (Number.isFinite(Number(name)) ? `${Number(name)}` : name);

export const NAME_MUTANTS: readonly EngineMutant[] = [
  ...mutantsThatBreak(CONTRACT.names, {
    'folds the case of keys': storingNamesAs({ key: folded }),
    'truncates keys at 64 characters': storingNamesAs({ key: cut }),
    'trims trailing punctuation of keys': storingNamesAs({ key: trimmed }),
    'treats all punctuation in keys as equal': storingNamesAs({ key: alphanumeric }),
    'compares keys as numbers': storingNamesAs({ key: numeric }),
    'loses rows whose keys are names of object members': faultyRows((rows) => ({
      put: (row) => (row.key in {} ? undefined : rows.put(row)),
    })),
    'folds the case of indexes': storingNamesAs({ index: folded }),
    'truncates indexes at 64 characters': storingNamesAs({ index: cut }),
    'folds the case of places': storingNamesAs({ place: folded }),
    'truncates places at 64 characters': storingNamesAs({ place: cut }),
    'sorts places by locale': rangesInOrder((a, b) => a.localeCompare(b, 'en')),
    'sorts places as numbers': rangesInOrder((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1)),
  }),

  ...mutantsThatBreak(CONTRACT.partitions, {
    'folds the case of partitions': storingNamesAs({ partition: folded }),
    'truncates partitions at 64 characters': storingNamesAs({ partition: cut }),
    'stores all rows in one partition': storingNamesAs({ partition: () => 'all' }),
    'joins partitions and keys without a separator': joinedBy(''),
    'joins partitions and keys with a colon': joinedBy(':'),
  }),
];

/** Sorts ranges in another order of places. */
function rangesInOrder(compare: (a: string, b: string) => number): Mutation {
  return faultyRows((rows) => ({
    async range(index, { limit, ...request } = {}) {
      const placeOf = (row: Row) => row.indexes[index] ?? '';
      const inRange = await rows.range(index, request);
      return inRange.toSorted((a, b) => compare(placeOf(a), placeOf(b))).slice(0, limit);
    },
  }));
}

/** Stores rows under one key made of partition and key, which a row of another partition may have too. */
function joinedBy(separator: string): Mutation {
  return storingNamesAs({
    partition: () => 'all',
    key: (key, partition) => digest(`${partition}${separator}${key}`),
  });
}
