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
    'treats the keys "A" and "a" as one': storeNamesAs({ key: folded }),
    'truncates keys at 64 characters': storeNamesAs({ key: cut }),
    'removes punctuation from the end of keys': storeNamesAs({ key: trimmed }),
    'treats the keys "a-b" and "a_b" as one': storeNamesAs({ key: alphanumeric }),
    'treats the keys "1" and "01" as one': storeNamesAs({ key: numeric }),
    'loses rows whose keys are members of every object, such as "toString"': faultyRows((rows) => ({
      put: (row) => (row.key in {} ? undefined : rows.put(row)),
    })),
    'treats the indexes "A" and "a" as one': storeNamesAs({ index: folded }),
    'truncates indexes at 64 characters': storeNamesAs({ index: cut }),
    'treats the sort keys "A" and "a" as one': storeNamesAs({ sortKey: folded }),
    'truncates sort keys at 64 characters': storeNamesAs({ sortKey: cut }),
    'sorts sort keys by locale': changeRanges(sortedBy((a, b) => a.localeCompare(b, 'en'))),
    'sorts sort keys as numbers': changeRanges(
      sortedBy((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1)),
    ),
  }),

  ...mutantsThatBreak(CONTRACT.partitions, {
    'treats the partitions "A" and "a" as one': storeNamesAs({ partition: folded }),
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
