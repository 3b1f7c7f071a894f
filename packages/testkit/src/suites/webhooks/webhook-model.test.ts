import { expectWebhookFaultsNoticed, inEveryCase } from '../../self-test/expect-suite-faults.ts';
import { faultyDeliveries, faultyWebhooks } from '../../self-test/faulty-storage.ts';
import { webhookModel } from './webhook-model.ts';

/** Faults that no other suite notices: a transition affects another, to which it should be unrelated. */
const faulty = {
  'enables a disabled webhook on a change': faultyWebhooks((webhooks) => ({
    change: async (ref, change) => {
      await webhooks.enable(ref);
      return webhooks.change(ref, change);
    },
  })),
  'enables a webhook when its failed deliveries are resent': faultyDeliveries(
    (deliveries, { webhooks }) => ({
      redeliverFailed: async (ref, request) => {
        await webhooks.enable(ref);
        return deliveries.redeliverFailed(ref, request);
      },
    }),
  ),
};

expectWebhookFaultsNoticed(webhookModel, inEveryCase(webhookModel, faulty));
