import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import {
  faultyDeliveries,
  faultyResults,
  faultyStorage,
  faultyWebhooks,
} from '../../self-test/faulty-storage.ts';
import { webhookRemoval } from './webhook-removal.ts';

/** Removes the webhook from the registry only, so that its deliveries are still claimed. */
const keepsSending = faultyStorage(({ webhooks, deliveries }) => {
  const removed = new Set<string>();
  return {
    deliveries,
    webhooks: {
      ...webhooks,
      find: async (ref) => (removed.has(ref.webhookId) ? null : webhooks.find(ref)),
      remove: async (ref) => {
        const isRegistered = !removed.has(ref.webhookId) && (await webhooks.find(ref)) !== null;
        removed.add(ref.webhookId);
        return isRegistered;
      },
    },
  };
});

expectWebhookFaultsNoticed(webhookRemoval, {
  'removes ended deliveries and those in flight, and reports none as poison': {
    'keeps sending to a removed webhook': keepsSending,
    'counts removed deliveries as pending': faultyResults('deliveries', 'stats', (stats) => ({
      ...stats,
      pending: 1,
    })),
    'reports the removed delivery as poison': faultyDeliveries((deliveries, { clock }) => {
      const openedAtMs = clock.nowMs();
      return {
        claim: async (request) => {
          const claim = await deliveries.claim(request);
          const isLater = clock.nowMs() > openedAtMs;
          const lost = { accountId: 7, webhookId: 'w1', deliveryId: 'sending' };
          return isLater ? { ...claim, poisoned: [lost] } : claim;
        },
      };
    }),
    'completes the removed attempt': faultyResults('deliveries', 'complete', (_result, ends) =>
      ends.map(() => ({ outcome: 'completed', disabled: null })),
    ),
  },
  'keeps deliveries of other webhooks on remove()': {
    'removes all webhooks of the account': faultyWebhooks((webhooks) => ({
      remove: async (ref) => {
        for (const other of await webhooks.list(ref.accountId, { limit: 100, after: null })) {
          await webhooks.remove(other);
        }
        return true;
      },
    })),
    'keeps sending to a removed webhook': keepsSending,
  },
});
