import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openWebhookStores } from './open-webhook-stores.ts';
import { openHistory, steps } from './webhook-history.ts';

const HISTORIES = 10;
/** The test turns the clock of the stores; TTLs run by the real clock of Redis. */
const TOLERANCE_MS = 60_000;

describe('the hash of a webhook in Redis', () => {
  it('has right counts of attempts and starts, due times and TTLs after random histories', async () => {
    const stores = await openWebhookStores();
    const caseCounts = {
      inFlight: 0,
      fresh: 0,
      retries: 0,
      failed: 0,
      starts: 0,
      capped: 0,
      trimmed: 0,
    };
    let histories = 0;
    await fc.assert(
      fc.asyncProperty(fc.noBias(steps), async (randomSteps) => {
        histories += 1;
        const history = await openHistory(stores, `wh_${histories}`, 1_000 + histories);
        for (const step of randomSteps) {
          await history.runStep(step);
          const { hash, log, fresh, retries, failed, ...counts } = await history.readKeys();
          expect(Number(hash['inFlight'] ?? 0)).toBe(counts.inFlight);
          expect(counts.inFlightOfAccount).toBe(counts.inFlight);
          expect(Number(hash['windowCount'] ?? 0)).toBe(counts.startsInWindow);
          for (const [id, sequence] of counts.sequences) {
            expect(sequence).toBe(counts.first + log.lastIndexOf(id));
          }

          // A claim finds every waiting delivery, unless the webhook is disabled.
          const waits = fresh.length + retries.length > 0;
          const isEnabled = hash['disabledAtMs'] === undefined;
          if (waits && isEnabled) expect(counts.isDue).toBe(true);
          if (!isEnabled) expect(counts.isDue).toBe(false);

          // -2: there is no such key; -1: it has no time to live.
          const { logLeftMs } = counts;
          expect(logLeftMs).not.toBe(-1);
          if (logLeftMs !== -2)
            expect(logLeftMs).toBeGreaterThan(counts.newestLeftMs - TOLERANCE_MS);

          caseCounts.inFlight += counts.inFlight;
          caseCounts.fresh += fresh.length;
          caseCounts.retries += retries.length;
          caseCounts.failed += failed.length;
          caseCounts.starts += counts.startsInWindow;
          if (hash['isCapped'] !== undefined) caseCounts.capped += 1;
          if (counts.first > 1) caseCounts.trimmed += 1;
          const ids = [...retries, ...failed, ...counts.sequences.keys()];
          expect(ids.filter((id) => !log.includes(id))).toEqual([]);
        }
      }),
      // Histories are too long to be shrunk.
      { seed: 1, numRuns: HISTORIES, endOnFailure: true },
    );
    // Every case must have happened in some history.
    for (const [what, times] of Object.entries(caseCounts)) expect(times, what).toBeGreaterThan(3);
  });
});
