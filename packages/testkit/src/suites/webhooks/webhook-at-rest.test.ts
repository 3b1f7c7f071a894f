import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { reference } from '../../self-test/reference.ts';
import { webhookAtRest } from './webhook-at-rest.ts';

expectWebhookFaultsNoticed(webhookAtRest, {
  'keeps no secret of a removed webhook, even with attempts in flight': {
    'keeps secrets with leases': {
      open: async (options) => {
        const opened = await reference.open(options);
        return { ...opened, dump: async () => 'lease of w1: encrypted secret of w1' };
      },
    },
  },
});
