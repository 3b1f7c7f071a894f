import { setTimeout as wait } from 'node:timers/promises';
import type { DeliveryStore } from '@latchhook/core/storage';
import type { VirtualTime } from '../time/virtual-time.ts';

const LOOK_AGAIN_MS = 10;

/**
 * Resolves when no delivery is queued, sending or waiting: each is delivered, dead or held.
 *
 * @param time - Moved on from timer to timer meanwhile, so that days of retries take no time. Default: real time
 * passes.
 * @throws {Error} where `time` has no timer left while deliveries are still pending
 */
export async function drained(
  deliveries: Pick<DeliveryStore, 'countPending'>,
  time?: Pick<VirtualTime, 'runUntil'>,
): Promise<void> {
  const isDrained = async () => (await deliveries.countPending()) === 0;
  if (time !== undefined) return time.runUntil(isDrained);
  while (!(await isDrained())) await wait(LOOK_AGAIN_MS);
}
