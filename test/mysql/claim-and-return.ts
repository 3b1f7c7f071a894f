import type { ClaimedAttempt, DeliveryStore } from '@latchhook/core/storage';
import { DAY_MS } from '../support/storage/webhook-samples.ts';

const CLAIM = {
  limit: 64,
  leaseMs: 30_000,
  rateMarginMs: 200,
  maxInFlightPerWebhook: 64,
  maxInFlightPerAccount: 64,
  maxStalledAttempts: 5,
} as const;

/** Claims attempts, and completes each as not started. */
export async function claimAndReturn(
  deliveries: DeliveryStore,
): Promise<readonly ClaimedAttempt[]> {
  const { attempts } = await deliveries.claim(CLAIM);
  const ends = attempts.map((attempt) => ({
    ...attempt,
    outcome: { kind: 'not_started' } as const,
  }));
  const completed = await deliveries.complete(ends, { disableAfterMs: DAY_MS });
  if (completed.some(({ outcome }) => outcome !== 'completed')) throw new Error('not completed');
  return attempts;
}
