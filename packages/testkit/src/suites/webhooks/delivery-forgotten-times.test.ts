import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { forgetsNothing } from '../../self-test/faulty-deliveries.ts';
import { deliveryForgottenTimes } from './delivery-forgotten-times.ts';

expectWebhookFaultsNoticed(deliveryForgottenTimes, {
  'do not wait for a forgotten retry if they are published': {
    'forgets nothing': forgetsNothing,
  },
  'do not wait for a forgotten retry if they are sent again': {
    'forgets nothing': forgetsNothing,
  },
  'do not wait for a forgotten retry if they are recovered': {
    'forgets nothing': forgetsNothing,
  },
  'do not wait for a forgotten retry if they are released': {
    'forgets nothing': forgetsNothing,
  },
  'do not wait for a forgotten retry that was before one that started': {
    'forgets nothing': forgetsNothing,
  },
  'do not wait for any of many forgotten retries that were before one that started': {
    'forgets nothing': forgetsNothing,
  },
});
