import type { FoundRow, RangeRequest, Row } from '@latchhook/core/storage';
import { CONTRACT } from '../engine/contract.ts';
import { type EngineMutant, faultyEngine, faultyRows, mutantsThatBreak } from './engine-mutant.ts';
import { ALL, type Choose, changeFinds, changeRanges, sortedBy } from './faulty-ranges.ts';

/** The order of a sound engine. */
const bySortKey = sortedBy((a, b) => (a < b ? -1 : 1));
const leavesFirstOut: Choose = (rows, index, { from }) =>
  rows.filter(({ indexes }) => indexes[index] !== from);
const limitsUnsorted: Choose = (rows, index, { limit }) =>
  bySortKey(rows.toSorted((a, b) => (a.key > b.key ? -1 : 1)).slice(0, limit), index, {});
const oneOfEachSortKey: Choose = (rows, index) => [
  ...new Map(rows.map((row) => [row.indexes[index], row])).values(),
];
const firstHundred: Choose = (rows) => rows.slice(0, 100);

export const RANGE_MUTANTS: readonly EngineMutant[] = [
  ...mutantsThatBreak(CONTRACT.from, {
    'leaves out the first sort key of a range': changeRanges(leavesFirstOut),
    'leaves out the first sort key in find()': changeFinds(leavesFirstOut),
  }),

  ...mutantsThatBreak(CONTRACT.before, {
    'includes the end sort key in a range': faultyRows((rows) => ({
      range: (index, request = {}) => rows.range(index, withLast(request)),
    })),
    'includes the end sort key in find()': faultyEngine((engine) => ({
      find: (index, request) => engine.find(index, { ...withLast(request), limit: request.limit }),
    })),
  }),

  ...mutantsThatBreak(CONTRACT.limit, {
    'limits a range before sorting': changeRanges(limitsUnsorted),
    'limits find() before sorting': changeFinds(limitsUnsorted),
    'ignores the limit of a range': faultyRows((rows) => ({
      range: (index, { limit: _, ...bounds } = {}) => rows.range(index, bounds),
    })),
    'ignores the limit of find()': faultyEngine((engine) => ({
      find: (index, request) => engine.find(index, { ...request, limit: ALL }),
    })),
  }),

  ...mutantsThatBreak(CONTRACT.order, {
    'returns ranges in reverse order': changeRanges((rows) => rows.toReversed()),
    'returns ranges in the order of keys instead of sort keys': changeRanges((rows) =>
      rows.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    ),
    'returns one row per sort key in a range': changeRanges(oneOfEachSortKey),
    'finds one row per sort key': changeFinds(oneOfEachSortKey),
    'reads another index if the given one is empty': faultyRows((rows) => ({
      async range(index, request) {
        const inRange = await rows.range(index, request);
        return inRange.length === 0 ? rows.range('i', request) : inRange;
      },
    })),
  }),

  ...mutantsThatBreak(CONTRACT.indexes, {
    'returns a row in one index only': changeRanges((rows, index) =>
      rows.filter(({ indexes }) => Object.keys(indexes)[0] === index),
    ),
  }),

  ...mutantsThatBreak(CONTRACT.all, {
    'returns a hundred rows of a range at most': changeRanges(firstHundred),
  }),

  ...mutantsThatBreak(CONTRACT.found, {
    'finds rows of one partition only': changeFinds((rows) => {
      const [first] = rows as readonly (Row & Partial<FoundRow>)[];
      return rows.filter((row: Row & Partial<FoundRow>) => row.partition === first?.partition);
    }),
    'finds rows without their partitions': changeFinds((rows) =>
      rows.map((row) => ({ ...row, partition: '' })),
    ),
    'finds rows in the order of a locale': changeFinds(
      sortedBy((a, b) => a.localeCompare(b, 'en')),
    ),
    'finds a hundred rows at most': changeFinds(firstHundred),
    'caches the result of find()': faultyEngine((engine) => {
      const cache = new Map<string, Promise<readonly FoundRow[]>>();
      return {
        find(index, request) {
          const cacheKey = JSON.stringify([index, request]);
          const foundRows = cache.get(cacheKey) ?? engine.find(index, request);
          cache.set(cacheKey, foundRows);
          return foundRows;
        },
      };
    }),
    'still finds rows that were deleted after an earlier find()': faultyEngine((engine) => {
      const everFound = new Map<string, FoundRow>();
      return {
        async find(index, request) {
          for (const row of await engine.find(index, request))
            everFound.set(`${row.partition} ${row.key}`, row);
          return bySortKey([...everFound.values()], index, request).slice(0, request.limit);
        },
      };
    }),
  }),
];

/** Includes the end: `-` is the first character of the order, so no sort key is between `before` and `before-`. */
function withLast<Request extends RangeRequest>({ before, ...request }: Request) {
  return { ...request, ...(before !== undefined && { before: `${before}-` }) };
}
