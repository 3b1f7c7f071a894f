import type { StartDeliveryWorker } from '@latchhook/core';
import type { DeliveryContext } from '@latchhook/core/delivery';
import type { AttemptOutcome, AttemptResult } from '@latchhook/core/storage';

export const DELIVERED = { kind: 'delivered' } as const;
export const EXHAUSTED = { kind: 'failed', reason: 'exhausted' } as const;
/** The response of a failing receiver. */
export const FAILED = { status: 500 } as const;

/** A worker that sends nothing: the test decides the outcome of each attempt. It serves the last created app. */
export interface HandDelivery extends StartDeliveryWorker {
  /** Completes the next due attempt with this outcome. Resolves to the delivery's id; `null`: nothing is due. */
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
