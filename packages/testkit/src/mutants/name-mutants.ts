import type { Row } from '@latchhook/core/storage';
import { CONTRACT } from '../engine/contract.ts';
import { digest, disguised } from './disguised.ts';
import { type EngineMutant, type Mutation, mutantsThatBreak, rowsThat } from './engine-mutant.ts';

const folded = (name: string) => name.toLowerCase();
const cut = (name: string) => name.slice(0, 64);
const trimmed = (name: string) => name.replace(/[-_/:]+$/, '') || name;
const alphanumeric = (name: string) => name.replaceAll(/[-_/:]/g, '_');
const numeric = (name: string) => (Number.isFinite(Number(name)) ? `${Number(name)}` : name);

export const NAME_MUTANTS: readonly EngineMutant[] = [
  ...mutantsThatBreak(CONTRACT.names, {
    'folds the case of keys': disguised({ key: folded }),
    'truncates keys at 64 characters': disguised({ key: cut }),
    'trims trailing punctuation of keys': disguised({ key: trimmed }),
    'treats all punctuation in keys as equal': disguised({ key: alphanumeric }),
    'compares keys as numbers': disguised({ key: numeric }),
    'loses rows whose keys are names of object members': rowsThat((rows) => ({
      put: (row) => (row.key in {} ? undefined : rows.put(row)),
    })),
    'folds the case of indexes': disguised({ index: folded }),
    'truncates indexes at 64 characters': disguised({ index: cut }),
    'folds the case of places': disguised({ place: folded }),
    'truncates places at 64 characters': disguised({ place: cut }),
    'sorts places by locale': rangesInOrder((a, b) => a.localeCompare(b, 'en')),
    'sorts places as numbers': rangesInOrder((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1)),
  }),

  ...mutantsThatBreak(CONTRACT.partitions, {
    'folds the case of partitions': disguised({ partition: folded }),
    'truncates partitions at 64 characters': disguised({ partition: cut }),
    'stores all rows in one partition': disguised({ partition: () => 'all' }),
    'joins partitions and keys without a separator': joinedBy(''),
    'joins partitions and keys with a colon': joinedBy(':'),
  }),
];

/** Ranges in another order of places. */
function rangesInOrder(compare: (a: string, b: string) => number): Mutation {
  return rowsThat((rows) => ({
    async range(index, { limit, ...request } = {}) {
      const placeOf = (row: Row) => row.indexes[index] ?? '';
      const found = await rows.range(index, request);
      return found.toSorted((a, b) => compare(placeOf(a), placeOf(b))).slice(0, limit);
    },
  }));
}

/** One key for both, under which another partition's row may be. */
function joinedBy(mark: string): Mutation {
  return disguised({
    partition: () => 'all',
    key: (key, partition) => digest(`${partition}${mark}${key}`),
  });
}
