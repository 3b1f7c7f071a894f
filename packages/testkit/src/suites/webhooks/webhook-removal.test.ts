import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { deliveriesThat, storesThat, webhooksThat } from '../../self-test/faulty-webhooks.ts';
import { webhookRemoval } from './webhook-removal.ts';

/** Forgets the webhook in its registry, but goes on sending. */
const sendsOn = storesThat(({ webhooks, deliveries }) => {
  const removed = new Set<string>();
  return {
    deliveries,
    webhooks: {
      ...webhooks,
      find: async (ref) => (removed.has(ref.webhookId) ? null : webhooks.find(ref)),
      remove: async (ref) => {
        const isThere = !removed.has(ref.webhookId) && (await webhooks.find(ref)) !== null;
        removed.add(ref.webhookId);
        return isThere;
      },
    },
  };
});

expectWebhookFaultsNoticed(webhookRemoval, {
  'removes all deliveries, and none starts from then on': {
    'sends on': sendsOn,
    'counts them still': deliveriesThat(({ deliveries }) => ({
      countPending: async () => 1 + (await deliveries.countPending()),
    })),
    'has them overdue still': deliveriesThat(({ deliveries }) => ({
      overdue: async (request) => [
        ...(await deliveries.overdue(request)),
        { accountId: 7, webhookId: 'w1', deliveryId: 'm1', run: 1, delayMs: 0 },
      ],
    })),
  },
  'leaves an attempt in flight nothing to end': {
    'sends on': sendsOn,
    'ends it': deliveriesThat(({ deliveries }) => ({
      finish: async (request) => {
        await deliveries.finish(request);
        return { outcome: 'finished', state: 'delivered', disabled: null, next: null };
      },
    })),
  },
  'ends deliveries of that webhook only': {
    'removes all that the account has': webhooksThat(({ webhooks }) => ({
      remove: async (ref) => {
        for (const other of await webhooks.list(ref.accountId, { limit: 100, after: null })) {
          await webhooks.remove(other);
        }
        return true;
      },
    })),
    'sends on': sendsOn,
  },
  'leaves nothing for a repeated publish': {
    'sends on': sendsOn,
    'forgets the message with one of its deliveries': storesThat(({ webhooks, deliveries }) => {
      let removals = 0;
      return {
        webhooks: {
          ...webhooks,
          remove: (ref) => {
            removals += 1;
            return webhooks.remove(ref);
          },
        },
        deliveries: {
          ...deliveries,
          publish: (message) =>
            deliveries.publish({
              ...message,
              idempotencyKey: message.idempotencyKey && `${message.idempotencyKey} ${removals}`,
            }),
        },
      };
    }),
  },
});
