import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { deliveriesThat, webhooksThat } from '../../self-test/faulty-webhooks.ts';
import { webhookModel } from './webhook-model.ts';

/** Faults that no other suite notices: each is a link between two transitions that should be unrelated. */
const brokenStores = {
  'lets a change take back that a webhook is disabled': webhooksThat(({ webhooks }) => ({
    change: async (ref, change) => {
      await webhooks.enable(ref);
      return webhooks.change(ref, change);
    },
  })),
  'enables a webhook as its failed deliveries are sent again': deliveriesThat(
    ({ webhooks, deliveries }) => ({
      redeliverFailed: async (ref, request) => {
        await webhooks.enable(ref);
        return deliveries.redeliverFailed(ref, request);
      },
    }),
  ),
};

expectWebhookFaultsNoticed(
  webhookModel,
  Object.fromEntries(Object.keys(webhookModel.cases).map((claim) => [claim, brokenStores])),
);
