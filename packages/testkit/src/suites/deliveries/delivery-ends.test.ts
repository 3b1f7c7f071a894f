import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { completedThat, fencedBy } from '../../self-test/faulty-deliveries.ts';
import { capsThat } from '../../self-test/faulty-delivery-caps.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryEnds } from './delivery-ends.ts';

const knowsNoFence = fencedBy((_end, { attempt, claimedAtMs }) => ({ attempt, claimedAtMs }));
const endsAll = completedThat(() => ({ outcome: 'completed', disabled: null }));

expectWebhookFaultsNoticed(deliveryEnds, {
  'a completion after the lease, or a second one, is stale': {
    'knows no fence': knowsNoFence,
    'answers as if it had ended': endsAll,
    'knows none for what was not started': fencedBy(({ outcome }, { attempt, claimedAtMs }) =>
      outcome.kind === 'not_started' ? { attempt, claimedAtMs } : {},
    ),
    'ends what has ended': deliveriesThat(({ deliveries }) => ({
      complete: async (ends, limits) => {
        const answers = await deliveries.complete(ends, limits);
        for (const { outcome, ...ref } of ends) {
          if (outcome.kind === 'retry') await deliveries.redeliver(ref);
        }
        return answers;
      },
    })),
  },
  'completes many attempts in order, and skips stale ones': {
    'answers in another order': deliveriesThat(({ deliveries }) => ({
      complete: async (ends, limits) => (await deliveries.complete(ends, limits)).toReversed(),
    })),
    'fails all where one is stale': deliveriesThat(({ deliveries }) => ({
      complete: async (ends, limits) => {
        const answers = await deliveries.complete(ends, limits);
        const stale = answers.find(({ outcome }) => outcome === 'stale');
        return stale ? ends.map(() => stale) : answers;
      },
    })),
    'stops at one that is stale': deliveriesThat(({ deliveries }) => ({
      complete: async (ends, limits) => {
        const [first] = await deliveries.complete(ends.slice(0, 1), limits);
        const rest =
          first?.outcome === 'stale' ? [] : await deliveries.complete(ends.slice(1), limits);
        return ends.map((_, nth) => rest[nth - 1] ?? first ?? { outcome: 'stale' });
      },
    })),
    'answers those alone that are not': deliveriesThat(({ deliveries }) => ({
      complete: async (ends, limits) => {
        const answers = await deliveries.complete(ends, limits);
        return ends.length === 1 ? answers : answers.filter(({ outcome }) => outcome !== 'stale');
      },
    })),
    'forgets the last one': deliveriesThat(({ deliveries }) => ({
      complete: async (ends, limits) => {
        if (ends.length === 1) return deliveries.complete(ends, limits);
        const answers = await deliveries.complete(ends.slice(0, -1), limits);
        return [...answers, { outcome: 'completed', disabled: null }];
      },
    })),
  },
  'a completion is stale once the attempt was claimed again, even under the same number': {
    'knows no fence': knowsNoFence,
    'goes by the number alone': fencedBy((_end, { claimedAtMs }) => ({ claimedAtMs })),
    'goes by the time alone': fencedBy((_end, { attempt }) => ({ attempt })),
    'knows no account': fencedBy((_end, { accountId }) => ({ accountId })),
    'knows no webhook': fencedBy((_end, { webhookId }) => ({ webhookId })),
  },
  'a stale completion frees no permit': {
    'frees a place for each end': capsThat(({ webhooks, deliveries }) => {
      let stale = 0;
      return {
        more: () => stale,
        stores: {
          webhooks,
          deliveries: {
            ...deliveries,
            complete: async (ends, limits) => {
              const answers = await deliveries.complete(ends, limits);
              stale += answers.filter(({ outcome }) => outcome === 'stale').length;
              return answers;
            },
          },
        },
      };
    }),
    'answers as if it had ended': endsAll,
  },
  'an attempt named twice in a call is completed once': { 'answers as if both had ended': endsAll },
});
