import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { deliveriesThat, storesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryPending } from './delivery-pending.ts';

function countsThat(change: (count: number) => number) {
  return deliveriesThat(({ deliveries }) => ({
    countPending: async () => change(await deliveries.countPending()),
  }));
}

/** Counts publications and ends, instead of what is pending. */
const keepsATally = storesThat(({ webhooks, deliveries }) => {
  let pending = 0;
  return {
    webhooks,
    deliveries: {
      ...deliveries,
      publish: async (message) => {
        const answer = await deliveries.publish(message);
        if (answer.outcome === 'published') pending += answer.deliveries;
        return answer;
      },
      finish: async (request) => {
        const answer = await deliveries.finish(request);
        if (answer.outcome === 'finished' && answer.state !== 'waiting') pending -= 1;
        return answer;
      },
      countPending: async () => pending,
    },
  };
});

expectWebhookFaultsNoticed(deliveryPending, {
  'are pending while they are queued, sending or waiting': {
    'counts webhooks': countsThat((count) => Math.min(1, count)),
    'counts what was ever published': deliveriesThat(({ deliveries }) => {
      let published = 0;
      return {
        publish: (message) => {
          published += 1;
          return deliveries.publish(message);
        },
        countPending: async () => published,
      };
    }),
  },
  'are not pending while they are held, and are pending again when they are released': {
    'keeps a tally': keepsATally,
  },
  'are not pending once they are forgotten': {
    'forgets nothing': deliveriesThat(({ deliveries }) => ({
      publish: (message) => deliveries.publish({ ...message, retentionMs: 1_000_000 }),
    })),
  },
  'are pending again when they are sent again': { 'keeps a tally': keepsATally },
});
