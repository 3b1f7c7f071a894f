import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyCompletionResults, fencedBy } from '../../self-test/faulty-deliveries.ts';
import { faultyCaps } from '../../self-test/faulty-delivery-caps.ts';
import { faultyDeliveries, faultyResults } from '../../self-test/faulty-storage.ts';
import { deliveryEnds } from './delivery-ends.ts';

const acceptsEarlierLeases = fencedBy((_end, { attempt, claimedAtMs }) => ({
  attempt,
  claimedAtMs,
}));
const returnsCompleted = faultyCompletionResults(() => ({ outcome: 'completed', disabled: null }));

expectWebhookFaultsNoticed(deliveryEnds, {
  'returns stale to a second completion and to a completion after the lease expired': {
    'accepts completions of an earlier lease': acceptsEarlierLeases,
    'returns completed to stale completions': returnsCompleted,
    'accepts a returned attempt of an earlier lease': fencedBy(
      ({ outcome }, { attempt, claimedAtMs }) =>
        outcome.kind === 'not_started' ? { attempt, claimedAtMs } : {},
    ),
    'requeues a completed delivery on a stale retry': faultyDeliveries((deliveries) => ({
      complete: async (ends, limits) => {
        const results = await deliveries.complete(ends, limits);
        for (const { outcome, ...ref } of ends) {
          if (outcome.kind === 'retry') await deliveries.redeliver(ref);
        }
        return results;
      },
    })),
  },
  'completes the other attempts of a call if one is stale, with results in order': {
    'returns results in another order': faultyResults('deliveries', 'complete', (result) =>
      result.toReversed(),
    ),
    'returns stale to all if one is stale': faultyResults(
      'deliveries',
      'complete',
      (results, ends) => {
        const stale = results.find(({ outcome }) => outcome === 'stale');
        return stale ? ends.map(() => stale) : results;
      },
    ),
    'stops at the first stale completion': faultyDeliveries((deliveries) => ({
      complete: async (ends, limits) => {
        const [first] = await deliveries.complete(ends.slice(0, 1), limits);
        const rest =
          first?.outcome === 'stale' ? [] : await deliveries.complete(ends.slice(1), limits);
        return ends.map((_, i) => rest[i - 1] ?? first ?? { outcome: 'stale' });
      },
    })),
    'leaves stale completions out of its results': faultyResults(
      'deliveries',
      'complete',
      (results, ends) =>
        ends.length === 1 ? results : results.filter(({ outcome }) => outcome !== 'stale'),
    ),
    'does not complete the last attempt of a call': faultyDeliveries((deliveries) => ({
      complete: async (ends, limits) => {
        if (ends.length === 1) return deliveries.complete(ends, limits);
        const results = await deliveries.complete(ends.slice(0, -1), limits);
        return [...results, { outcome: 'completed', disabled: null }];
      },
    })),
  },
  'returns stale once the attempt was claimed again, even with the same number': {
    'accepts completions of an earlier lease': acceptsEarlierLeases,
    'compares attempt numbers only': fencedBy((_end, { claimedAtMs }) => ({ claimedAtMs })),
    'compares claim times only': fencedBy((_end, { attempt }) => ({ attempt })),
    'ignores the account of a completion': fencedBy((_end, { accountId }) => ({ accountId })),
    'ignores the webhook of a completion': fencedBy((_end, { webhookId }) => ({ webhookId })),
  },
  'frees no permit on a stale completion': {
    'frees a permit on each stale completion': faultyCaps(({ deliveries }) => {
      let stale = 0;
      return {
        extraPermits: () => stale,
        deliveries: {
          complete: async (ends, limits) => {
            const results = await deliveries.complete(ends, limits);
            stale += results.filter(({ outcome }) => outcome === 'stale').length;
            return results;
          },
        },
      };
    }),
    'returns completed to stale completions': returnsCompleted,
  },
  'completes an attempt once if a call contains it twice': {
    'returns completed to both completions': returnsCompleted,
  },
});
