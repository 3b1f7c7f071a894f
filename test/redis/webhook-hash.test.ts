import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openWebhookStores } from './open-webhook-stores.ts';
import { openHistory, steps } from './webhook-history.ts';

const HISTORIES = 10;
/** The test turns the clock of the stores, while that of Redis goes on by itself. */
const TOLERANCE_MS = 60_000;

describe('the hash of a webhook', () => {
  it('is right about how many wait, what is due and when keys end, whatever happens', async () => {
    const stores = await openWebhookStores();
    const seen = {
      ...{ retries: 0, parked: 0, parkedRetries: 0, overdueInFlight: 0 },
      ...{ activeUnknown: 0, logsEmptied: 0 },
    };
    let histories = 0;
    await fc.assert(
      fc.asyncProperty(fc.noBias(steps), async (taken) => {
        histories += 1;
        const history = await openHistory(stores, `wh_${histories}`);
        let hadLog = false;
        for (const step of taken) {
          await history.take(step);
          const { hash, ...there } = await history.look();
          const { retries, parked, parkedRetries, activeMs, logLeftMs, startsLeftMs } = there;
          expect(Number(hash['retries'] ?? 0)).toBe(retries.length);
          expect(Number(hash['parked'] ?? 0)).toBe(parked.length + parkedRetries.length);
          expect(there.queued).toEqual(expect.arrayContaining(parked));
          expect(retries).toEqual(expect.arrayContaining(parkedRetries));
          expect(await history.remains()).toEqual([]);
          const { pending, lookedUp, inFlightStates, overdueInFlight } = await history.toCome();
          expect(lookedUp).toEqual(pending);
          expect(inFlightStates.filter((state) => state !== 'sending')).toEqual([]);

          for (const dueMs of there.duesMs) expect(activeMs).toBeLessThanOrEqual(dueMs);
          const isActiveKnown = hash['activeMs'] !== undefined;
          if (isActiveKnown) expect(activeMs).toBeLessThanOrEqual(Number(hash['activeMs']));

          // -2: there is no such key; -1: it has no time to live.
          expect([logLeftMs, startsLeftMs]).not.toContain(-1);
          const hasLog = logLeftMs !== -2;
          if (hasLog) expect(logLeftMs).toBeGreaterThan(there.newestLeftMs - TOLERANCE_MS);

          seen.retries += retries.length;
          seen.parked += parked.length;
          seen.overdueInFlight += overdueInFlight;
          seen.parkedRetries += parkedRetries.length;
          if (!isActiveKnown && activeMs !== Number.POSITIVE_INFINITY) seen.activeUnknown += 1;
          if (hadLog && !hasLog) seen.logsEmptied += 1;
          hadLog = hasLog;
        }
      }),
      // Histories are too long to be shrunk.
      { seed: 1, numRuns: HISTORIES, endOnFailure: true },
    );
    // A case that never happened was not tested.
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(3);
  });
});
