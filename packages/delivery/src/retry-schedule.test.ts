import { createAuth, memoryStorage, type StartDeliveryWorker } from '@latchhook/core';
import { ATTEMPTS_KEPT } from '@latchhook/core/storage';
import { describe, expect, it } from 'vitest';
import { RETRY_DELAYS_MS } from './retry-schedule.ts';
import { decideOutcome } from './worker/decide-outcome.ts';

const FAILED = { status: 500, durationMs: 1, error: null, retryAfterMs: null };

/** The shortest retention that a host can set. */
function shortestRetentionMs(): number {
  let retentionMs = Number.NaN;
  const worker: StartDeliveryWorker = ({ policy }) => {
    retentionMs = policy.retentionMs;
    return { drain: async () => ({ outcome: 'drained' }), close: async () => {} };
  };
  for (let retentionDays = 1; Number.isNaN(retentionMs); retentionDays += 1) {
    try {
      createAuth({
        issuer: 'https://issuer.example',
        users: { findByUsername: async () => null, findById: async () => null },
        storage: memoryStorage(),
        webhooks: { worker, retentionDays },
      });
    } catch (error) {
      expect(error).toMatchObject({ code: 'option_out_of_bounds' });
    }
  }
  return retentionMs;
}

describe('the schedule of retries', () => {
  it('ends before a delivery expires, even with the longest delays', () => {
    const longestMs = RETRY_DELAYS_MS.map((_, failures) => {
      const outcome = decideOutcome(FAILED, { failures, notCounted: 0 }, () => 1);
      return outcome.kind === 'retry' ? outcome.delayMs : Number.NaN;
    });
    const lastTryMs = longestMs.reduce((sum, ms) => sum + ms);
    expect(lastTryMs).toBeLessThan(shortestRetentionMs());
  });

  // So that the attempts before and after a redelivery are both listed.
  it('fits twice into the attempts that are kept of a delivery', () => {
    const tries = RETRY_DELAYS_MS.length + 1;
    expect(2 * tries).toBeLessThanOrEqual(ATTEMPTS_KEPT);
  });
});
