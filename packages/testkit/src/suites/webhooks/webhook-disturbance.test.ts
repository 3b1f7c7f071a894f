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

const brokenStore = { 'fails after a disturbance': givesUp };

expectWebhookFaultsNoticed(webhookDisturbance, {
  'returns the same outcomes for a webhook with a disturbance before each call': brokenStore,
  'returns the same outcomes for a delivery with a disturbance before each call': brokenStore,
  'publishes and claims a message once under parallel calls during a disturbance': brokenStore,
});
