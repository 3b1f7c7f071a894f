import type { StartDeliveryWorker } from '@latchhook/core';
import type { DeliveryContext } from '@latchhook/core/delivery';
import type { AttemptOutcome, AttemptResult } from '@latchhook/core/storage';

export const DELIVERED = { kind: 'delivered' } as const;
export const EXHAUSTED = { kind: 'failed', reason: 'exhausted' } as const;
/** The answer of a receiver that fails. */
export const FAILED = { status: 500 } as const;

/** A worker that sends nothing: the test says how an attempt ends. It serves the app that was made last. */
export interface HandDelivery extends StartDeliveryWorker {
  /** Makes one attempt at what is next, which ends so. Returns the id of the delivery; `null`: nothing is due. */
  tryNext(outcome: AttemptOutcome, result?: Partial<AttemptResult>): Promise<string | null>;
}

export function handDelivery(): HandDelivery {
  let context: DeliveryContext | undefined;
  const start: StartDeliveryWorker = (connecting) => {
    context = connecting;
    return { drain: async () => ({ outcome: 'drained' }), close: async () => {} };
  };
  return Object.assign(start, {
    async tryNext(outcome: AttemptOutcome, result: Partial<AttemptResult> = {}) {
      if (context === undefined) throw new Error('no app was made');
      const { deliveries, policy } = context;
      const claim = await deliveries.claim({ ...policy, limit: 1, rateMarginMs: 0 });
      const [attempt] = claim.attempts;
      if (attempt === undefined) return null;
      const ended = { status: 200, durationMs: 5, error: null, ...result };
      const end = { ...attempt, outcome, result: ended, backoffMs: 0, url: attempt.webhook.url };
      const [completed] = await deliveries.complete([end], policy);
      if (completed?.outcome !== 'completed') throw new Error('the attempt was not completed');
      return attempt.deliveryId;
    },
  });
}
