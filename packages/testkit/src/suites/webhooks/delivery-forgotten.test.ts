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
  'do not keep a first try waiting for a retry that is already forgotten': {
    'forgets nothing': forgetsNothing,
  },
  'do not keep a retry waiting for a first try that is already forgotten': {
    'forgets nothing': forgetsNothing,
  },
  'are woken, a first try in the turn of a retry that is forgotten by then': {
    'forgets nothing': forgetsNothing,
  },
  'are woken, a retry in the turn of a first try that is forgotten by then': {
    'forgets nothing': forgetsNothing,
  },
  'are woken by being rescheduled, a first try in the turn of a retry that is forgotten by then': {
    'forgets nothing': forgetsNothing,
  },
  'are woken by being rescheduled, a retry in the turn of a first try that is forgotten by then': {
    'forgets nothing': forgetsNothing,
  },
  'do not keep a retry waiting that begins to wait behind one that is forgotten by then': {
    'forgets nothing': forgetsNothing,
  },
});
