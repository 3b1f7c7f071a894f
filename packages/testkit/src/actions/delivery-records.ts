import assert from 'node:assert/strict';
import type {
  DeliveryRecord,
  DeliveryRef,
  DeliveryState,
  DeliveryStore,
  ListedDelivery,
} from '@latchhook/core/storage';

/** A delivery that must be there. */
export async function recordOf(
  deliveries: DeliveryStore,
  delivery: DeliveryRef,
): Promise<DeliveryRecord> {
  const record = await deliveries.find(delivery);
  if (record !== null) return record;
  assert.fail(`there is no delivery ${delivery.deliveryId}`);
}

/** The record as lists show it. */
export function asListed({ attempts, ...delivery }: DeliveryRecord): ListedDelivery {
  return {
    ...delivery,
    attempts: attempts.map(({ attempt, startedAtMs, status, durationMs, error }) => ({
      attempt,
      startedAtMs,
      status,
      durationMs,
      error,
    })),
  };
}

export async function assertState(
  deliveries: DeliveryStore,
  delivery: DeliveryRef,
  state: DeliveryState,
): Promise<void> {
  assert.equal((await recordOf(deliveries, delivery)).state, state);
}

export function idsOf(deliveries: readonly DeliveryRef[]): readonly string[] {
  return deliveries.map(({ deliveryId }) => deliveryId);
}
