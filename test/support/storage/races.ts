import { onTestFinished } from 'vitest';
import type { HttpResponse } from '../../hosts/send-request.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../apps/test-app.ts';
import { EVERY_CELL } from '../every-cell.ts';
import type { StorageKind } from './cell-storage.ts';
import { CELLS, cellsOn, describeCells } from './in-every-cell.ts';

/** Starts an app in the cell, until the end of the test. */
type StartApp = (options?: TestAppOptions) => Promise<TestApp>;

/** Registers races in every cell and, on one framework at least, on a Redis Cluster. */
export function describeRaces(define: (start: StartApp, storage: StorageKind) => void): void {
  const clusters = cellsOn(['cluster']).filter(
    ({ framework }) => EVERY_CELL || framework === 'express',
  );
  describeCells([...CELLS, ...clusters], (cell) => {
    define(async (options = {}) => {
      const app = await startTestApp(cell, options);
      onTestFinished(() => app.stop());
      return app;
    }, cell.storage);
  });
}

export function inParallel<Result>(times: number, run: (index: number) => Promise<Result>) {
  return Promise.all(Array.from({ length: times }, (_, index) => run(index)));
}

export function countOf(responses: readonly HttpResponse[], status: number): number {
  return responses.filter((response) => response.status === status).length;
}
