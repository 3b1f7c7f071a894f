import { createAuth, memoryStorage } from '@latchhook/core';
import type { DeliveryContext, DeliveryEngine } from '@latchhook/core/delivery';
import { ATTEMPTS_KEPT } from '@latchhook/core/storage';
import { describe, expect, it } from 'vitest';
import { RETRY_DELAYS_MS } from './retry-schedule.ts';
import { decideVerdict } from './runs/decide-verdict.ts';

const FAILED = { status: 500, durationMs: 1, error: null, response: null, retryAfterMs: null };

/** The shortest retention that a host can set. */
function shortestRetentionMs(): number {
  let retentionMs = Number.NaN;
  const delivery: DeliveryEngine = {
    name: 'none',
    durable: false,
    sends: true,
    connect({ policy }: DeliveryContext) {
      retentionMs = policy.retentionMs;
      return { enqueue: async () => {}, reschedule: async () => {}, close: async () => {} };
    },
  };
  for (let retentionDays = 1; Number.isNaN(retentionMs); retentionDays += 1) {
    try {
      createAuth({
        issuer: 'https://issuer.example',
        users: { findByUsername: async () => null, findById: async () => null },
        storage: memoryStorage(),
        webhooks: { delivery, retentionDays },
      });
    } catch (error) {
      expect(error).toMatchObject({ code: 'option_out_of_bounds' });
    }
  }
  return retentionMs;
}

describe('the schedule of retries', () => {
  it('ends before a delivery is forgotten, with every delay at its longest', () => {
    const longestMs = RETRY_DELAYS_MS.map((_, triesBefore) => {
      const verdict = decideVerdict(FAILED, { triesBefore, faultsBefore: 0 }, () => 1);
      return verdict.kind === 'retry' ? verdict.delayMs : Number.NaN;
    });
    const lastTryMs = longestMs.reduce((sum, ms) => sum + ms);
    expect(lastTryMs).toBeLessThan(shortestRetentionMs());
  });

  it('fits into the log of a delivery twice', () => {
    const tries = RETRY_DELAYS_MS.length + 1;
    expect(2 * tries).toBeLessThanOrEqual(ATTEMPTS_KEPT);
  });
});
