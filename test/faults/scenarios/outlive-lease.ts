import { expect } from 'vitest';
import { spawnDeliveryWorker } from '../../support/apps/spawn-delivery-worker.ts';
import { type RegisteredWebhook, startPublisherOn } from '../../support/apps/start-publisher.ts';
import { startCountingReceiver } from '../../support/deliveries/counting-receiver.ts';
import { deliveryLog } from '../../support/deliveries/delivery-log.ts';
import { untilDrained } from '../../support/deliveries/until-drained.ts';
import type { LosableStore } from './losable-stores.ts';

const WEBHOOKS = 20;
/** More than the lease, ms. */
const TAKEN_OVER_WITHIN_MS = 60_000;

export interface OutlivedFigures {
  readonly deliveries: number;
  readonly arrivals: number;
  /** The outcomes of the attempts that the stopped worker completed after its resumption. */
  readonly stale: number;
  readonly completed: number;
  /** Deliveries whose log has the attempt of the stopped worker, as `lost`, and a successful one. */
  readonly deliveredBySecond: number;
}

/**
 * Stops a worker (SIGSTOP) while it has a delivery in flight for each webhook. Another worker sends them after the
 * end of their leases. Then the first worker is resumed, and receives the responses to its own requests.
 */
export async function outliveLease(store: LosableStore): Promise<OutlivedFigures> {
  const receiver = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
  const publisher = await startPublisherOn(store.connect());
  const webhooks: RegisteredWebhook[] = [];
  for (let account = 1; account <= WEBHOOKS; account += 1) {
    webhooks.push(await publisher.register(account, { url: receiver.url }));
  }
  const environment = { ...store.environment, encryptionKey: publisher.encryptionKey };
  const outcomes: string[] = [];
  let isStopped = false;
  const first = await spawnDeliveryWorker(environment, {
    onCompleted: (ended) => {
      if (isStopped) outcomes.push(...ended);
    },
  });
  for (let account = 1; account <= WEBHOOKS; account += 1) await publisher.publish(account, 0);
  await receiver.untilDistinct(WEBHOOKS);
  first.signal('SIGSTOP');
  isStopped = true;
  receiver.answer();
  await spawnDeliveryWorker(environment);
  await receiver.untilArrivals(2 * WEBHOOKS, TAKEN_OVER_WITHIN_MS);
  await untilDrained(publisher.deliveries);

  first.signal('SIGCONT');
  await expect.poll(() => outcomes.length).toBeGreaterThanOrEqual(WEBHOOKS);
  await untilDrained(publisher.deliveries);
  const logs = await Promise.all(webhooks.map((one) => deliveryLog(publisher.deliveries, one)));
  const deliveredBySecond = logs.flat().filter(({ state, attempts }) => {
    const [lost, delivered, ...more] = attempts;
    const isAsExpected = lost?.error === 'lost' && delivered?.status === 204 && more.length === 0;
    return state === 'delivered' && isAsExpected;
  });
  return {
    deliveries: WEBHOOKS,
    arrivals: receiver.times().length,
    stale: outcomes.filter((outcome) => outcome === 'stale').length,
    completed: outcomes.filter((outcome) => outcome === 'completed').length,
    deliveredBySecond: deliveredBySecond.length,
  };
}
