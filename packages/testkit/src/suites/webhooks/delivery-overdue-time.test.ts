import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { overdueThat } from '../../self-test/faulty-deliveries.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryOverdueTime } from './delivery-overdue-time.ts';

const returnsNothing = overdueThat(() => async () => []);
const returnsTooSoon = overdueThat(
  (overdue) => (request) => overdue({ ...request, graceMs: request.graceMs - 2 }),
);
const returnsTooLate = overdueThat(
  (overdue) => (request) => overdue({ ...request, graceMs: request.graceMs + 2 }),
);

expectWebhookFaultsNoticed(deliveryOverdueTime, {
  'are overdue if no engine asked for them in time': {
    'returns nothing': returnsNothing,
    'returns them too soon': returnsTooSoon,
    'returns them too late': returnsTooLate,
    'forgets what it has returned': overdueThat((overdue) => {
      const returned = new Set<string>();
      return async (request) => {
        const news = (await overdue(request)).filter(({ deliveryId }) => !returned.has(deliveryId));
        for (const { deliveryId } of news) returned.add(deliveryId);
        return news;
      };
    }),
  },
  'are overdue when their process died, counted from before the end of the lease': {
    'returns nothing': returnsNothing,
    'returns them too soon': returnsTooSoon,
    'returns them too late': returnsTooLate,
    'counts from the start': deliveriesThat(({ deliveries }) => ({
      start: (request) => deliveries.start({ ...request, leaseMs: 0 }),
    })),
  },
  'are overdue from the moment that the lease is over, and not before': {
    'returns nothing': returnsNothing,
    'returns them too late': overdueThat(
      (overdue) => (request) => overdue({ ...request, graceMs: request.graceMs + 1 }),
    ),
    'returns them before the lease is over': deliveriesThat(({ deliveries }) => ({
      start: (request) => deliveries.start({ ...request, leaseMs: request.leaseMs - 1 }),
    })),
  },
  'are not overdue before they are to start': {
    'counts from the publishing': deliveriesThat(({ webhooks, deliveries }) => ({
      overdue: async ({ graceMs, limit }) => {
        const [ref] = await webhooks.list(7, { limit: 1, after: null });
        const all = ref ? await deliveries.list(ref, { limit, after: null }) : [];
        return (all ?? [])
          .filter(({ state }) => state === 'queued')
          .map(({ accountId, webhookId, deliveryId }) => ({
            accountId,
            webhookId,
            deliveryId,
            run: graceMs + 1,
            delayMs: 0,
          }));
      },
    })),
    'returns nothing': returnsNothing,
  },
  'are returned most overdue first, and no more than were asked for': {
    'returns all': overdueThat((overdue) => (request) => overdue({ ...request, limit: 1_000 })),
    'returns the newest first': overdueThat(
      (overdue) => async (request) =>
        (await overdue({ ...request, limit: 1_000 })).toReversed().slice(0, request.limit),
    ),
    'returns one webhook after the other': overdueThat(
      (overdue) => async (request) =>
        (await overdue({ ...request, limit: 1_000 }))
          .toSorted((a, b) => a.webhookId.localeCompare(b.webhookId))
          .slice(0, request.limit),
    ),
  },
  'are not overdue if nothing is to start': {
    'returns what is held': deliveriesThat(({ deliveries }) => ({
      overdue: async (request) => {
        const held = { accountId: 7, webhookId: 'w2', deliveryId: 'held' };
        const record = await deliveries.find(held);
        return record === null ? deliveries.overdue(request) : [{ ...held, run: 1, delayMs: 0 }];
      },
    })),
  },
});
