import type { RangeRequest, Row } from '@latchhook/core/storage';
import { faultyEngine, faultyRows, type Mutation } from './engine-mutant.ts';

/** More rows than any test case has. */
export const ALL = 10_000;

/** Changes all rows between the bounds of a request. The result is then limited as requested. */
export type Choose = <SomeRow extends Row>(
  rows: readonly SomeRow[],
  index: string,
  request: RangeRequest,
) => readonly SomeRow[];

export function changeRanges(choose: Choose): Mutation {
  return faultyRows((rows) => ({
    async range(index, request = {}) {
      const { limit, ...bounds } = request;
      return choose(await rows.range(index, bounds), index, request).slice(0, limit);
    },
  }));
}

export function changeFinds(choose: Choose): Mutation {
  return faultyEngine((engine) => ({
    async find(index, request) {
      const rows = await engine.find(index, { ...request, limit: ALL });
      return choose(rows, index, request).slice(0, request.limit);
    },
  }));
}

/** Sorts rows in another order of sort keys. */
export function sortedBy(compare: (a: string, b: string) => number): Choose {
  return (rows, index) =>
    rows.toSorted((a, b) => compare(a.indexes[index] ?? '', b.indexes[index] ?? ''));
}
