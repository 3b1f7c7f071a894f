import type { WebhookHarness } from '../../fixtures/webhook-fixture.ts';
import { Outage } from '../../self-test/expect-faults-noticed.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { soundStores } from '../../self-test/faulty-webhooks.ts';
import { webhookDisturbance } from './webhook-disturbance.ts';

/** Behaves as a client that calls scripts only by their hashes, and cannot handle `NOSCRIPT`. */
const givesUp: WebhookHarness = {
  open: async ({ clock }) => {
    const { webhooks, deliveries } = soundStores(clock);
    let isDisturbed = false;
    const orGiveUp = <Methods extends object>(methods: Methods): Methods =>
      new Proxy(methods, {
        get: (target, name) => {
          if (isDisturbed) throw new Outage('NOSCRIPT');
          return Reflect.get(target, name);
        },
      });
    return {
      connect: async () => ({ webhooks: orGiveUp(webhooks), deliveries: orGiveUp(deliveries) }),
      disturb: async () => {
        isDisturbed = true;
      },
      close: async () => {},
    };
  },
};

const brokenStore = { 'gives up when it is disturbed': givesUp };

expectWebhookFaultsNoticed(webhookDisturbance, {
  'change nothing between the transitions of a webhook': brokenStore,
  'change nothing between the transitions of a delivery': brokenStore,
  'change nothing in the midst of a race': brokenStore,
});
