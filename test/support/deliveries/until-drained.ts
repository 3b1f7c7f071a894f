import type { DeliveryStore } from '@latchhook/core/storage';
import { expect } from 'vitest';
import { PATIENT_MS } from '../time/patience.ts';

/** Waits until no delivery of an enabled webhook waits or is in flight. */
export async function untilDrained(
  deliveries: Pick<DeliveryStore, 'stats'>,
  timeoutMs: number = PATIENT_MS,
): Promise<void> {
  const pending = async () => (await deliveries.stats()).pending;
  await expect.poll(pending, { timeout: timeoutMs }).toBe(0);
}
