import { CONTRACT } from '../engine/contract.ts';
import { type EngineMutant, faultyRows, type Mutation, mutantsThatBreak } from './engine-mutant.ts';
import { changeRanges, sortedBy } from './faulty-ranges.ts';
import { digest, storeNamesAs } from './store-names-as.ts';

const folded = (name: string) => name.toLowerCase();
const cut = (name: string) => name.slice(0, 64);
const trimmed = (name: string) => name.replace(/[-_/:]+$/, '') || name;
const alphanumeric = (name: string) => name.replaceAll(/[-_/:]/g, '_');
const numeric = (name: string) => (Number.isFinite(Number(name)) ? `${Number(name)}` : name);

export const NAME_MUTANTS: readonly EngineMutant[] = [
  ...mutantsThatBreak(CONTRACT.names, {
    'folds the case of keys': storeNamesAs({ key: folded }),
    'truncates keys at 64 characters': storeNamesAs({ key: cut }),
    'trims trailing punctuation of keys': storeNamesAs({ key: trimmed }),
    'treats all punctuation in keys as equal': storeNamesAs({ key: alphanumeric }),
    'compares keys as numbers': storeNamesAs({ key: numeric }),
    'loses rows whose keys are names of object members': faultyRows((rows) => ({
      put: (row) => (row.key in {} ? undefined : rows.put(row)),
    })),
    'folds the case of indexes': storeNamesAs({ index: folded }),
    'truncates indexes at 64 characters': storeNamesAs({ index: cut }),
    'folds the case of sort keys': storeNamesAs({ sortKey: folded }),
    'truncates sort keys at 64 characters': storeNamesAs({ sortKey: cut }),
    'sorts sort keys by locale': changeRanges(sortedBy((a, b) => a.localeCompare(b, 'en'))),
    'sorts sort keys as numbers': changeRanges(
      sortedBy((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1)),
    ),
  }),

  ...mutantsThatBreak(CONTRACT.partitions, {
    'folds the case of partitions': storeNamesAs({ partition: folded }),
    'truncates partitions at 64 characters': storeNamesAs({ partition: cut }),
    'stores all rows in one partition': storeNamesAs({ partition: () => 'all' }),
    'joins partitions and keys without a separator': joinedBy(''),
    'joins partitions and keys with a colon': joinedBy(':'),
  }),
];

/** Stores rows under one key made of partition and key, which a row of another partition may have too. */
function joinedBy(separator: string): Mutation {
  return storeNamesAs({
    partition: () => 'all',
    key: (key, partition) => digest(`${partition}${separator}${key}`),
  });
}
