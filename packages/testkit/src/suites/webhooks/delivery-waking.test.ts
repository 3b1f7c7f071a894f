import { deliveryTo, newWebhook } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import {
  admissionsThat,
  roomThat,
  startsThat,
  wakesNone,
} from '../../self-test/faulty-deliveries.ts';
import { deliveryWaking } from './delivery-waking.ts';

expectWebhookFaultsNoticed(deliveryWaking, {
  'are woken by a start of the other line too': {
    'wakes them as attempts end alone': admissionsThat((answer) => ({ ...answer, next: null })),
  },
  'are woken by one another as they start, until all room is used': {
    'wakes them as attempts end alone': admissionsThat((answer) => ({ ...answer, next: null })),
    'wakes one for each that starts, be there room or not': admissionsThat((answer) => ({
      ...answer,
      next: answer.next ?? { ...deliveryTo(newWebhook('w1'), 'm12'), run: 1, delayMs: 0 },
    })),
  },
  'are woken if the attempts in flight are lost': {
    'wakes none': roomThat(() => 0),
    'never takes an attempt for lost': startsThat(({ leaseMs }) => ({ leaseMs: 1_000 * leaseMs })),
  },
  'are woken, as many as there is room for, if no attempt in flight would wake them': {
    'wakes all that are parked': roomThat(() => 1_000),
    'wakes none': roomThat(() => 0),
    'wakes as many of either line': roomThat((maxInFlight) => 2 * maxInFlight),
  },
  'are also woken by a deferred start, if there is room': {
    'wakes none': wakesNone,
  },
});
