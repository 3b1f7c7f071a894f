import type { DeliveryContext, DeliveryEngine } from '@latchhook/core/delivery';
import type { AttemptResult, ScheduledDelivery, Verdict } from '@latchhook/core/storage';

export const DELIVERED = { kind: 'delivered' } as const;
export const EXHAUSTED = { kind: 'dead', reason: 'exhausted' } as const;
/** The answer of a receiver that fails. */
export const FAILED = { status: 500 } as const;

/** An engine that sends nothing: the test says how an attempt ends. It serves the app that was made last. */
export interface HandDelivery extends DeliveryEngine {
  /** The deliveries that it was handed and that have not been tried, oldest first. */
  readonly handed: readonly ScheduledDelivery[];
  /** Makes one attempt at the oldest of them, which ends with this verdict. */
  tryNext(verdict: Verdict, result?: Partial<AttemptResult>): Promise<void>;
}

export function handDelivery(): HandDelivery {
  const handed: ScheduledDelivery[] = [];
  let context: DeliveryContext | undefined;

  return {
    name: 'by hand',
    durable: false,
    sends: true,
    handed,
    connect(connected) {
      context = connected;
      handed.splice(0);
      return {
        enqueue: async (deliveries) => void handed.push(...deliveries),
        reschedule: async () => {},
        close: async () => {},
      };
    },
    async tryNext(verdict, result = {}) {
      const next = handed.shift();
      if (next === undefined || context === undefined) throw new Error('nothing was handed over');
      const { deliveries, policy } = context;
      const { accountId, webhookId, deliveryId, run } = next;
      const ref = { accountId, webhookId, deliveryId };
      const started = await deliveries.start({
        ...ref,
        run,
        leaseMs: policy.leaseMs,
        maxInFlight: policy.maxInFlightPerWebhook,
        maxLostAttempts: policy.maxLostAttempts,
        rateMarginMs: policy.rateMarginMs,
        withdrawnStartAtMs: null,
      });
      if (started.outcome !== 'started') throw new Error(`an attempt was ${started.outcome}`);
      const { attempt } = started;
      await deliveries.finish({
        ...ref,
        attempt,
        result: { status: 200, durationMs: 5, error: null, response: null, ...result },
        verdict,
        disableAfterMs: policy.disableAfterMs,
        pauseMs: 0,
        maxInFlight: policy.maxInFlightPerWebhook,
      });
    },
  };
}
