import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryForgotten } from './delivery-forgotten.ts';

const forgetsNothing = deliveriesThat(({ deliveries }) => ({
  publish: (message) => deliveries.publish({ ...message, retentionMs: 1_000_000 }),
}));

expectWebhookFaultsNoticed(deliveryForgotten, {
  'do not wait for a retry that is already forgotten': {
    'forgets nothing': forgetsNothing,
  },
  'do not wait, if first tries, for a retry that is already forgotten': {
    'forgets nothing': forgetsNothing,
  },
  'do not wait, if retries, for a first try that is already forgotten': {
    'forgets nothing': forgetsNothing,
  },
  'are woken, if first tries, in the turn of a forgotten retry': {
    'forgets nothing': forgetsNothing,
  },
  'are woken, if retries, in the turn of a forgotten first try': {
    'forgets nothing': forgetsNothing,
  },
  'are woken when rescheduled, if first tries, in the turn of a forgotten retry': {
    'forgets nothing': forgetsNothing,
  },
  'are woken when rescheduled, if retries, in the turn of a forgotten first try': {
    'forgets nothing': forgetsNothing,
  },
  'do not wait, if retries, behind one that is already forgotten': {
    'forgets nothing': forgetsNothing,
  },
});
