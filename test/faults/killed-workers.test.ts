import { describe, expect, it } from 'vitest';
import { reportFigures } from './report-figures.ts';
import { bringBack } from './scenarios/bring-back.ts';
import { killWorkers } from './scenarios/kill-workers.ts';
import { STORES } from './scenarios/losable-stores.ts';
import { outliveLease } from './scenarios/outlive-lease.ts';

/** The limit of attempts in flight for twenty webhooks, ten each. */
const IN_FLIGHT = 200;
/** The lease of an attempt, ms. */
const LEASE_MS = 20_000;
const BACK_WITHIN_MS = LEASE_MS + 1_000;

for (const { store, loss, isHere, deliveries, open } of STORES) {
  describe.skipIf(!isHere)(`workers on ${store}`, () => {
    it('ten kill -9 of three workers lose no delivery', async () => {
      const load = { deliveries, kills: 10, everyMs: 2_000, loseStore: false };
      const figures = await killWorkers(await open(), load);
      reportFigures(`kill -9 of workers on ${store}`, figures);
      expect(figures.lost).toBe(0);
      expect(figures.duplicates).toBeGreaterThan(0);
      expect(figures.duplicates).toBeLessThanOrEqual(figures.inFlightAtKills);
      expect(figures.longestGapMs).toBeLessThanOrEqual(BACK_WITHIN_MS);
    });

    it(`kill -9 of workers on a store that is also ${loss} loses no acknowledged delivery`, async () => {
      const load = { deliveries, kills: 10, everyMs: 2_000, loseStore: true };
      const figures = await killWorkers(await open(), load);
      reportFigures(`kill -9 of workers on ${store}, which is ${loss}`, figures);
      expect(figures.lost).toBe(0);
      expect(figures.silentAfterLossMs).toBeLessThan(5_000);
    });

    it('attempts of a killed worker are sent again within a second of the end of their lease', async () => {
      const figures = await bringBack(await open(), { deliveries: IN_FLIGHT });
      reportFigures(`back after kill -9 on ${store}`, figures);
      expect(figures.quickestMs).toBeGreaterThan(LEASE_MS - 1_000);
      expect(figures.slowestMs).toBeLessThanOrEqual(BACK_WITHIN_MS);
    });

    it('completions of a worker that was stopped for longer than its lease are stale', async () => {
      const figures = await outliveLease(await open());
      reportFigures(`stopped for longer than its lease on ${store}`, figures);
      const { deliveries: count } = figures;
      expect(figures).toEqual({
        deliveries: count,
        arrivals: 2 * count,
        stale: count,
        completed: 0,
        deliveredBySecond: count,
      });
    });
  });
}
