import type { FoundRow, RangeRequest, Row } from '@latchhook/core/storage';
import { CONTRACT } from '../engine/contract.ts';
import {
  type EngineMutant,
  faultyEngine,
  faultyRows,
  type Mutation,
  mutantsThatBreak,
} from './engine-mutant.ts';

/** More rows than any test case has. */
const ALL = 10_000;

/** Returns some of all rows between the bounds. */
type Choose = <SomeRow extends Row>(
  rows: readonly SomeRow[],
  index: string,
  request: RangeRequest,
) => readonly SomeRow[];

const leavesFirstOut: Choose = (rows, index, { from, limit }) =>
  rows.filter(({ indexes }) => indexes[index] !== from).slice(0, limit);
const limitsUnsorted: Choose = (rows, index, { limit }) =>
  byPlace(rows.toSorted((a, b) => (a.key > b.key ? -1 : 1)).slice(0, limit), index);

export const RANGE_MUTANTS: readonly EngineMutant[] = [
  ...mutantsThatBreak(CONTRACT.from, {
    'leaves out the first place of a range': changeRanges(leavesFirstOut),
    'leaves out the first place in find()': changeFinds(leavesFirstOut),
  }),

  ...mutantsThatBreak(CONTRACT.before, {
    'includes the end place in a range': faultyRows((rows) => ({
      range: (index, request = {}) => rows.range(index, withLast(request)),
    })),
    'includes the end place in find()': faultyEngine((engine) => ({
      find: (index, request) => engine.find(index, { ...withLast(request), limit: request.limit }),
    })),
  }),

  ...mutantsThatBreak(CONTRACT.limit, {
    'limits a range before sorting': changeRanges(limitsUnsorted),
    'limits find() before sorting': changeFinds(limitsUnsorted),
    'ignores the limit of a range': changeRanges((rows) => rows),
    'ignores the limit of find()': changeFinds((rows) => rows),
  }),

  ...mutantsThatBreak(CONTRACT.order, {
    'returns ranges in reverse order': changeRanges((rows, _, { limit }) =>
      rows.toReversed().slice(0, limit),
    ),
    'returns ranges in the order of keys': changeRanges((rows, _, { limit }) =>
      rows.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, limit),
    ),
    'returns one row per place in a range': changeRanges(oneOfEachPlace),
    'finds one row per place': changeFinds(oneOfEachPlace),
    'reads another index if one is empty': faultyRows((rows) => ({
      async range(index, request) {
        const inRange = await rows.range(index, request);
        return inRange.length === 0 ? rows.range('i', request) : inRange;
      },
    })),
  }),

  ...mutantsThatBreak(CONTRACT.indexes, {
    'returns a row in one index only': changeRanges((rows, index, { limit }) =>
      rows.filter(({ indexes }) => Object.keys(indexes)[0] === index).slice(0, limit),
    ),
  }),

  ...mutantsThatBreak(CONTRACT.all, {
    'ends a range after the first page': changeRanges((rows, _, { limit = ALL }) =>
      rows.slice(0, Math.min(limit, 100)),
    ),
  }),

  ...mutantsThatBreak(CONTRACT.found, {
    'finds rows of one partition only': changeFinds((rows, _, { limit }) => {
      const [first] = rows as readonly (Row & Partial<FoundRow>)[];
      const isInSamePartition = (row: Row & Partial<FoundRow>) =>
        row.partition === first?.partition;
      return rows.filter(isInSamePartition).slice(0, limit);
    }),
    'finds rows without their partitions': changeFinds((rows, _, { limit }) =>
      rows.slice(0, limit).map((row) => ({ ...row, partition: '' })),
    ),
    'finds rows in the order of a locale': changeFinds((rows, index, { limit }) =>
      rows
        .toSorted((a, b) => (a.indexes[index] ?? '').localeCompare(b.indexes[index] ?? '', 'en'))
        .slice(0, limit),
    ),
    'finds a hundred rows at most': changeFinds((rows, _, { limit = ALL }) =>
      rows.slice(0, Math.min(limit, 100)),
    ),
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
    'finds rows deleted since the last call': faultyEngine((engine) => {
      const everFound = new Map<string, FoundRow>();
      return {
        async find(index, request) {
          for (const row of await engine.find(index, request))
            everFound.set(`${row.partition} ${row.key}`, row);
          return byPlace([...everFound.values()], index).slice(0, request.limit);
        },
      };
    }),
  }),
];

function changeRanges(choose: Choose): Mutation {
  return faultyRows((rows) => ({
    async range(index, { limit, ...bounds } = {}) {
      return choose(await rows.range(index, bounds), index, { ...bounds, ...(limit && { limit }) });
    },
  }));
}

function changeFinds(choose: Choose): Mutation {
  return faultyEngine((engine) => ({
    find: async (index, request) =>
      choose(await engine.find(index, { ...request, limit: ALL }), index, request),
  }));
}

/** Includes the end: `-` is the first character of the order, so no place is between `before` and `before-`. */
function withLast<Request extends RangeRequest>({ before, ...request }: Request) {
  return { ...request, ...(before !== undefined && { before: `${before}-` }) };
}

function oneOfEachPlace<SomeRow extends Row>(
  rows: readonly SomeRow[],
  index: string,
  { limit }: RangeRequest,
): readonly SomeRow[] {
  return [...new Map(rows.map((row) => [row.indexes[index], row])).values()].slice(0, limit);
}

function byPlace<SomeRow extends Row>(rows: readonly SomeRow[], index: string): readonly SomeRow[] {
  return rows.toSorted((a, b) => ((a.indexes[index] ?? '') < (b.indexes[index] ?? '') ? -1 : 1));
}
