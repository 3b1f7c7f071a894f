import { describe, expect, it } from 'vitest';
import type { DeliveryRun } from '../runs/name-of-run.ts';
import { RunIndex } from './run-index.ts';

const runOf = (deliveryId: string, webhookId: string, run = 1): DeliveryRun => {
  return { accountId: 1, webhookId, deliveryId, run };
};

/** Of one message, but for the last: by webhook, and by run. */
const RUNS = [
  runOf('msg_1', 'wh_1'),
  runOf('msg_1', 'wh_2'),
  runOf('msg_1', 'wh_1', 2),
  runOf('msg_2', 'wh_1'),
];

describe('RunIndex', () => {
  it.each([[[0, 1, 2, 3]], [[3, 2, 1, 0]], [[1, 0, 3, 2]], [[2, 3, 0, 1]]])(
    'finds each run by itself, and forgets it alone: added in order, deleted as %j',
    (order) => {
      const index = new RunIndex<{ readonly run: DeliveryRun }>();
      const entries = RUNS.map((run) => ({ run }));
      const expectToFind = (known: typeof entries): void => {
        expect(entries.map(({ run }) => index.find({ ...run }))).toEqual(
          entries.map((entry) => (known.includes(entry) ? entry : undefined)),
        );
      };
      for (const [nth, entry] of entries.entries()) {
        index.add(entry);
        expectToFind(entries.slice(0, nth + 1));
      }
      let known = entries;
      for (const nth of order) {
        const [entry] = entries.slice(nth);
        if (entry === undefined) throw new Error(`there is no entry ${nth}`);
        index.delete(entry);
        expectToFind(known.filter((other) => other !== entry));
        // Where it was found first, another one may be now.
        index.add(entry);
        expectToFind(known);
        index.delete(entry);
        known = known.filter((other) => other !== entry);
      }
      expectToFind([]);
    },
  );
});
