import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { delaysThat } from '../../self-test/faulty-rates.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { endsWithdrawn, withdrawsNone } from '../../self-test/faulty-withdrawals.ts';
import { deliveryWithdrawnOrder } from './delivery-withdrawn-order.ts';

/** Makes them wait behind all others. */
const forgetsTheirPlace = deliveriesThat(({ deliveries }) => {
  const last = new Set<string>();
  return {
    start: async (request) => {
      if (request.withdrawnStartAtMs !== null) last.add(request.deliveryId);
      const isLast = request.withdrawnStartAtMs === null && last.has(request.deliveryId);
      if (isLast) return { outcome: 'deferred', delayMs: 1200, reason: 'rate', next: null };
      return deliveries.start(request);
    },
  };
});

expectWebhookFaultsNoticed(deliveryWithdrawnOrder, {
  'are made later if the rate has no room, at their place in the order of publishing': {
    'knows none': withdrawsNone,
    'ends them': endsWithdrawn,
    'forgets their place': forgetsTheirPlace,
  },
  'wait as retries if they were retries': {
    'knows none': withdrawsNone,
    'ends them': endsWithdrawn,
  },
  'come after the retries that already wait': {
    'knows none': withdrawsNone,
    'has them ask before': delaysThat((delayMs) => Math.min(delayMs, 1_200)),
  },
  'wait as retries if the delivery was sent again, even if it was never tried': {
    'knows none': withdrawsNone,
  },
  'go before all that wait, since their turn had come': {
    'knows none': withdrawsNone,
    'ends them': endsWithdrawn,
  },
});
