import assert from 'node:assert/strict';
import type {
  DeliveryRef,
  DeliveryStore,
  StartOutcome,
  StartRequest,
} from '@latchhook/core/storage';
import { deferralOf } from './webhook-actions.ts';
import { starting } from './webhook-samples.ts';

/** Asks for an attempt for which there must be no room. */
export async function park(
  deliveries: DeliveryStore,
  delivery: DeliveryRef,
  room: Pick<StartRequest, 'maxInFlight'>,
): Promise<Extract<StartOutcome, { readonly outcome: 'deferred' }>> {
  const deferral = deferralOf(await deliveries.start(starting(delivery, room)));
  assert.equal(deferral.reason, 'in_flight');
  return deferral;
}
