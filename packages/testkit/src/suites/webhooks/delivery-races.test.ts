import { setImmediate as turn } from 'node:timers/promises';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { deliveriesThat, readThenWriteWebhooks } from '../../self-test/faulty-webhooks.ts';
import { deliveryRaces } from './delivery-races.ts';

const readsThenWrites = { 'reads, then writes': readThenWriteWebhooks };

expectWebhookFaultsNoticed(deliveryRaces, {
  'one of 100 parallel starts of one delivery begins an attempt': readsThenWrites,
  'one of 100 parallel starts follows an attempt that was lost': readsThenWrites,
  'one of 100 parallel starts replaces an attempt that is withdrawn': readsThenWrites,
  'no more than maxInFlight attempts are in flight, however many ask': {
    'counts, then starts': deliveriesThat(({ deliveries }) => {
      let inFlight = 0;
      return {
        start: async (request) => {
          const isFull = inFlight >= request.maxInFlight;
          await turn();
          if (isFull) return { outcome: 'deferred', delayMs: 20, reason: 'in_flight', next: null };
          inFlight += 1;
          return deliveries.start({ ...request, maxInFlight: 1_000 });
        },
      };
    }),
  },
  'no more retries start than the rate allows, however many ask': readsThenWrites,
  'one of 50 parallel ends of an attempt ends it': readsThenWrites,
  'one of 50 parallel resends begins another run': readsThenWrites,
  'a delivery recovered in parallel is returned to one call only': readsThenWrites,
  'an overdue delivery is returned to one of several parallel calls': readsThenWrites,
});
