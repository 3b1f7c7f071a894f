import { setTimeout as elapsed } from 'node:timers/promises';
import { spawnDeliveryWorker } from '../../support/apps/spawn-delivery-worker.ts';
import { startPublisherOn } from '../../support/apps/start-publisher.ts';
import {
  busiestWindow,
  startCountingReceiver,
} from '../../support/deliveries/counting-receiver.ts';
import { untilDrained } from '../../support/deliveries/until-drained.ts';
import type { LosableStore } from './losable-stores.ts';
import { publishAll } from './publish-all.ts';

const OUTAGE_MS = 30_000;
const WEBHOOKS = 20;
const ANSWER_AFTER_MS = 50;
const SECOND_MS = 1_000;
/** In this time after the loss, pending calls may still end, ms. */
const FIRST_MS = 1_000;
const BACK_WITHIN_MS = 60_000;
const PAUSE_MS = 50;

export interface LostStoreFigures {
  readonly deliveries: number;
  readonly lost: number;
  readonly duplicates: number;
  /** The worker's calls and connection attempts during the outage, without the first second. */
  readonly calls: number;
  readonly callsInBusiestSecond: number;
  /** From the return of the store to the next arrival, ms. */
  readonly silentAfterMs: number;
}

/**
 * Makes the store of a worker unreachable for half a minute, and publishes an event as soon as it is back.
 *
 * @param backlog - the number of deliveries published before the outage, most of which then wait; 0: an idle worker
 */
export async function loseStore(
  store: LosableStore,
  { backlog }: { readonly backlog: number },
): Promise<LostStoreFigures> {
  const receiver = await startCountingReceiver({ answerAfterMs: ANSWER_AFTER_MS });
  const publisher = await startPublisherOn(store.connect());
  for (let account = 1; account <= WEBHOOKS; account += 1) {
    await publisher.register(account, { url: receiver.url, rate_limit: 10_000 });
  }
  const callTimes: number[] = [];
  const environment = { ...store.environment, encryptionKey: publisher.encryptionKey };
  const ids = [
    ...(await publishAll(1 + backlog, (nth) => publisher.publish((nth % WEBHOOKS) + 1, nth))),
  ];
  await spawnDeliveryWorker(environment, { onAsked: (atMs) => void callTimes.push(atMs) });
  // Until deliveries flow.
  await receiver.untilDistinct(1 + Math.floor(backlog / 10));
  if (backlog === 0) await untilDrained(publisher.deliveries);

  const lostAtMs = nowMs();
  await store.lose();
  await elapsed(OUTAGE_MS);
  const endMs = nowMs();
  await store.bringBack();
  const backAtMs = nowMs();
  ids.push(await untilPublished(() => publisher.publish(1, 1 + backlog)));
  await receiver.untilDistinct(ids.length, BACK_WITHIN_MS);
  await untilDrained(publisher.deliveries, BACK_WITHIN_MS);

  const callsDuringOutage = callTimes.filter((atMs) => atMs >= lostAtMs + FIRST_MS && atMs < endMs);
  const arrivals = receiver.times();
  return {
    deliveries: ids.length,
    lost: ids.filter((id) => !receiver.arrivals.has(id)).length,
    duplicates: arrivals.length - receiver.arrivals.size,
    calls: callsDuringOutage.length,
    callsInBusiestSecond: busiestWindow(callsDuringOutage, SECOND_MS),
    silentAfterMs: Math.round((arrivals.find((atMs) => atMs > backAtMs) ?? Infinity) - backAtMs),
  };
}

function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Repeats a publication until it is acknowledged, because the publisher must reconnect too. */
async function untilPublished(publish: () => Promise<string>): Promise<string> {
  for (;;) {
    try {
      return await publish();
    } catch {
      await elapsed(PAUSE_MS);
    }
  }
}
