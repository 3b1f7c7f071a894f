import { finishing } from '../samples/webhook-samples.ts';
import { startsThat } from './faulty-deliveries.ts';
import { deliveriesThat } from './faulty-webhooks.ts';

/** Ignores that the attempt is withdrawn. */
export const withdrawsNone = startsThat(() => ({ withdrawnStartAtMs: null }));

/** Ends the withdrawn attempt as an excused one, and begins another. */
export const endsWithdrawn = deliveriesThat(({ deliveries }) => ({
  start: async ({ withdrawnStartAtMs, ...request }) => {
    if (withdrawnStartAtMs !== null) {
      const excused = { kind: 'excused', delayMs: 0 } as const;
      const attempts = (await deliveries.find(request))?.attempts.length ?? 0;
      await deliveries.finish(finishing(request, attempts + 1, excused));
    }
    return deliveries.start({ ...request, withdrawnStartAtMs: null });
  },
}));
