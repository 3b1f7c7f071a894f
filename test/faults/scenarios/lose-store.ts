import { setTimeout as elapsed } from 'node:timers/promises';
import type { Storage } from '@latchhook/core/storage';
import {
  type DeliveryEnvironment,
  spawnDeliveryWorker,
} from '../../support/apps/spawn-delivery-worker.ts';
import { startPublisherOn } from '../../support/apps/start-publisher.ts';
import {
  busiestWindow,
  startCountingReceiver,
} from '../../support/deliveries/counting-receiver.ts';
import { untilDrained } from '../../support/deliveries/until-drained.ts';

const OUTAGE_MS = 30_000;
const WEBHOOKS = 20;
const ANSWER_AFTER_MS = 50;
const SECOND_MS = 1_000;
/** What was under way when the store was lost may end in so long, ms. */
const FIRST_MS = 1_000;
const BACK_WITHIN_MS = 60_000;
const PAUSE_MS = 50;

/** A store whose server can be lost. */
export interface LosableStore {
  readonly environment: Omit<DeliveryEnvironment, 'encryptionKey'>;
  connect(): Storage;
  lose(): Promise<void>;
  bringBack(): Promise<void>;
}

export interface LostStoreFigures {
  readonly deliveries: number;
  readonly lost: number;
  readonly duplicates: number;
  /** What the worker asked of the store meanwhile, attempts to connect included; not in the first second. */
  readonly calls: number;
  readonly askedInBusiestSecond: number;
  /** From when the store was back until a delivery arrived, ms. */
  readonly silentAfterMs: number;
}

/**
 * Takes the store from a worker for half a minute, and publishes an event as soon as it is back.
 *
 * @param backlog - how many deliveries are published before, most of which wait when it is lost; 0: the worker is idle
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
  await spawnDeliveryWorker(environment, { onAsked: (atMs) => void callTimes.push(atMs) });
  const ids = [await publisher.publish(1, 0)];
  await receiver.untilDistinct(1);
  await untilDrained(publisher.deliveries);
  const publishing = Array.from({ length: backlog }, (_, i) =>
    publisher.publish((i % WEBHOOKS) + 1, i),
  );
  ids.push(...(await Promise.all(publishing)));
  await receiver.untilDistinct(1 + Math.floor(backlog / 10));

  const lostAtMs = nowMs();
  await store.lose();
  await elapsed(OUTAGE_MS);
  const endMs = nowMs();
  await store.bringBack();
  const backAtMs = nowMs();
  ids.push(await untilPublished(() => publisher.publish(1, backlog)));
  await receiver.untilDistinct(ids.length, BACK_WITHIN_MS);
  await untilDrained(publisher.deliveries, BACK_WITHIN_MS);

  const callsDuringOutage = callTimes.filter((atMs) => atMs >= lostAtMs + FIRST_MS && atMs < endMs);
  const arrivals = receiver.times();
  return {
    deliveries: ids.length,
    lost: ids.filter((id) => !receiver.arrivals.has(id)).length,
    duplicates: arrivals.length - receiver.arrivals.size,
    calls: callsDuringOutage.length,
    askedInBusiestSecond: busiestWindow(callsDuringOutage, SECOND_MS),
    silentAfterMs: Math.round((arrivals.find((atMs) => atMs > backAtMs) ?? Infinity) - backAtMs),
  };
}

function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Tries until it is acknowledged: the publisher has to connect again, too. */
async function untilPublished(publish: () => Promise<string>): Promise<string> {
  for (;;) {
    try {
      return await publish();
    } catch {
      await elapsed(PAUSE_MS);
    }
  }
}
