import { spawnDeliveryWorker } from '../../support/apps/spawn-delivery-worker.ts';
import { startPublisherOn } from '../../support/apps/start-publisher.ts';
import { startCountingReceiver } from '../../support/deliveries/counting-receiver.ts';
import type { LosableStore } from './losable-stores.ts';

const WEBHOOKS = 20;
/** More than two leases, ms: a delivery that has not come again by then never will. */
const PATIENCE_MS = 60_000;

export interface BroughtBack {
  /** The number of attempts in flight in the killed worker. */
  readonly deliveries: number;
  /** The longest and the shortest time from the first arrival of a delivery to its second, ms. */
  readonly slowestMs: number;
  readonly quickestMs: number;
}

/** Kills the only worker while all deliveries are in flight in it, and starts a new worker. */
export async function bringBack(
  store: LosableStore,
  { deliveries }: Pick<BroughtBack, 'deliveries'>,
): Promise<BroughtBack> {
  const receiver = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
  const publisher = await startPublisherOn(store.connect());
  for (let account = 1; account <= WEBHOOKS; account += 1) {
    await publisher.register(account, { url: receiver.url, rate_limit: 1_000 });
  }
  const environment = { ...store.environment, encryptionKey: publisher.encryptionKey };
  const victim = await spawnDeliveryWorker(environment);
  for (let i = 0; i < deliveries; i += 1) {
    await publisher.publish((i % WEBHOOKS) + 1, i);
  }
  await receiver.untilDistinct(deliveries);
  await victim.kill9();
  receiver.answer();
  await spawnDeliveryWorker(environment);

  await receiver.untilArrivals(2 * deliveries, PATIENCE_MS);
  const gapsMs = [...receiver.arrivals.values()].map(([first = 0, second = 0]) => second - first);
  return {
    deliveries,
    slowestMs: Math.round(Math.max(...gapsMs)),
    quickestMs: Math.round(Math.min(...gapsMs)),
  };
}
