import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { forgetsNothing } from '../../self-test/faulty-deliveries.ts';
import { deliveryForgotten } from './delivery-forgotten.ts';

expectWebhookFaultsNoticed(deliveryForgotten, {
  'do not wait for a retry that is already forgotten': {
    'forgets nothing': forgetsNothing,
  },
  'first tries do not wait for a forgotten retry': {
    'forgets nothing': forgetsNothing,
  },
  'retries do not wait for a forgotten first try': {
    'forgets nothing': forgetsNothing,
  },
  'first tries are woken in place of a forgotten retry': {
    'forgets nothing': forgetsNothing,
  },
  'retries are woken in place of a forgotten first try': {
    'forgets nothing': forgetsNothing,
  },
  'first tries are woken by a reschedule in place of a forgotten retry': {
    'forgets nothing': forgetsNothing,
  },
  'retries are woken by a reschedule in place of a forgotten first try': {
    'forgets nothing': forgetsNothing,
  },
  'do not expire to make room for forgotten ones': {
    'forgets nothing': forgetsNothing,
  },
  'retries do not wait behind a forgotten one': {
    'forgets nothing': forgetsNothing,
  },
});
