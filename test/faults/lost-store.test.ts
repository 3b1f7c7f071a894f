import { describe, expect, it } from 'vitest';
import { reportFigures } from './report-figures.ts';
import { STORE_LOSSES } from './scenarios/losable-stores.ts';
import { loseStore } from './scenarios/lose-store.ts';

/** The limit of attempts in flight for twenty webhooks, ten each. */
const IN_FLIGHT = 200;
const MAX_CALLS_A_SECOND = 10;
const BACKLOG = 3_000;

for (const { store, loss, isHere, open } of STORE_LOSSES) {
  describe.skipIf(!isHere)(`a worker whose ${store} is ${loss}`, () => {
    it.each([
      ['idle', 0],
      ['busy', BACKLOG],
    ] as const)(
      'polls seldom, loses no delivery and recovers by itself, if it is %s',
      async (when, backlog) => {
        const figures = await loseStore(await open(), { backlog });
        reportFigures(`${store} ${loss} for 30 s, ${when}`, figures);
        expect(figures.lost).toBe(0);
        expect(figures.duplicates).toBeLessThanOrEqual(backlog === 0 ? 0 : IN_FLIGHT);
        expect(figures.callsInBusiestSecond).toBeLessThanOrEqual(MAX_CALLS_A_SECOND);
      },
    );
  });
}
