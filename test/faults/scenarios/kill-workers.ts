import { setTimeout as elapsed } from 'node:timers/promises';
import { expect } from 'vitest';
import {
  type DeliveryEnvironment,
  spawnDeliveryWorker,
} from '../../support/apps/spawn-delivery-worker.ts';
import { startPublisherOn } from '../../support/apps/start-publisher.ts';
import {
  type CountingReceiver,
  startCountingReceiver,
} from '../../support/deliveries/counting-receiver.ts';
import { untilDrained } from '../../support/deliveries/until-drained.ts';
import type { LosableStore } from './losable-stores.ts';
import { publishAll } from './publish-all.ts';

const WORKERS = 3;
const WEBHOOKS = 20;
/** The delay of a response, ms, by which every kill finds attempts in flight. */
const ANSWER_AFTER_MS = 100;
const RATE_LIMIT = 50;
/**
 * The store is lost after this number of kills, once deliveries flow again. Attempts of killed workers count as in
 * flight until their leases end, so after two or three kills few deliveries flow.
 */
const KILLS_BEFORE_STORE = 1;
/** Deliveries flow if more than this part of them arrives in a second. */
const FLOWING = 1 / 100;
const UNTIL_FLOWING_MS = 15_000;
const SECOND_MS = 1_000;
/** For this long the store is lost, ms. */
const LOST_MS = 2_000;
/** The time to read the last messages of a stopped worker, ms. */
const LAST_WORDS_MS = 50;
/** Longer than the lease of 20 s and the wait in the queue after it, ms. */
const RECOVERY_MS = 120_000;

export interface KilledWorkers {
  readonly deliveries: number;
  readonly kills: number;
  readonly everyMs: number;
  /** Whether the store is also lost and brought back. */
  readonly loseStore: boolean;
}

export interface KilledWorkersFigures {
  readonly deliveries: number;
  readonly kills: number;
  readonly lost: number;
  readonly duplicates: number;
  /** The number of attempts in flight at all kills of workers. */
  readonly inFlightAtKills: number;
  /** The longest time between two arrivals of one delivery, ms; 0: none arrived twice. */
  readonly longestGapMs: number;
  readonly seconds: number;
  /** The number of arrivals in the second before the loss of the store. `null`: the store is not lost. */
  readonly arrivedBeforeLoss: number | null;
  /** From the return of the store to the next arrival, ms. */
  readonly silentAfterLossMs: number | null;
}

/** Publishes to 20 webhooks while three workers send, which are killed and replaced one after the other. */
export async function killWorkers(
  store: LosableStore,
  { deliveries, kills, everyMs, loseStore }: KilledWorkers,
): Promise<KilledWorkersFigures> {
  const receiver = await startCountingReceiver({ answerAfterMs: ANSWER_AFTER_MS });
  const publisher = await startPublisherOn(store.connect());
  const environment = { ...store.environment, encryptionKey: publisher.encryptionKey };
  for (let account = 1; account <= WEBHOOKS; account += 1) {
    await publisher.register(account, { url: receiver.url, rate_limit: RATE_LIMIT });
  }
  const workers: CountedWorker[] = [];
  for (let nth = 0; nth < WORKERS; nth += 1) workers.push(await spawnCounted(environment));

  const startedMs = performance.now();
  const publishing = publishAll(deliveries, (nth) => publisher.publish((nth % WEBHOOKS) + 1, nth));
  let inFlightAtKills = 0;
  let arrivedBeforeLoss: number | null = null;
  let storeBackMs: number | null = null;
  for (let kill = 0; kill < kills; kill += 1) {
    await elapsed(everyMs);
    inFlightAtKills += (await workers.shift()?.kill9()) ?? 0;
    workers.push(await spawnCounted(environment));
    if (loseStore && kill + 1 === KILLS_BEFORE_STORE) {
      const recordArrivals = () => {
        arrivedBeforeLoss = arrivedInLastSecond(receiver);
        return arrivedBeforeLoss;
      };
      await expect
        .poll(recordArrivals, { timeout: UNTIL_FLOWING_MS })
        .toBeGreaterThan(FLOWING * deliveries);
      await store.lose();
      await elapsed(LOST_MS);
      await store.bringBack();
      storeBackMs = performance.timeOrigin + performance.now();
    }
  }
  const acknowledged = await publishing;
  await receiver.untilDistinct(new Set(acknowledged).size, RECOVERY_MS);
  const seconds = (performance.now() - startedMs) / 1000;
  await untilDrained(publisher.deliveries, RECOVERY_MS);

  const lost = acknowledged.filter((id) => !receiver.arrivals.has(id)).length;
  const gapsMs = [...receiver.arrivals.values()].flatMap(gapsBetween);
  return {
    deliveries: acknowledged.length,
    kills,
    lost,
    duplicates: gapsMs.length,
    inFlightAtKills,
    longestGapMs: Math.round(Math.max(0, ...gapsMs)),
    seconds: Math.round(seconds),
    arrivedBeforeLoss,
    silentAfterLossMs: storeBackMs === null ? null : silenceAfter(storeBackMs, receiver),
  };
}

interface CountedWorker {
  /** Kills the worker; resolves to the number of its attempts in flight. */
  kill9(): Promise<number>;
}

async function spawnCounted(environment: DeliveryEnvironment): Promise<CountedWorker> {
  let inFlight = 0;
  const worker = await spawnDeliveryWorker(environment, {
    onClaimed: (count) => {
      inFlight += count;
    },
    onCompleted: ({ length }) => {
      inFlight -= length;
    },
  });
  return {
    async kill9() {
      worker.signal('SIGSTOP');
      await elapsed(LAST_WORDS_MS);
      const atKill = inFlight;
      await worker.kill9();
      return atKill;
    },
  };
}

function gapsBetween(times: readonly number[]): readonly number[] {
  return times.slice(1).map((timeMs, nth) => timeMs - (times[nth] ?? timeMs));
}

function silenceAfter(sinceMs: number, receiver: CountingReceiver): number {
  const next = receiver.times().find((timeMs) => timeMs > sinceMs) ?? Number.POSITIVE_INFINITY;
  return Math.round(next - sinceMs);
}

function arrivedInLastSecond(receiver: CountingReceiver): number {
  const sinceMs = performance.timeOrigin + performance.now() - SECOND_MS;
  return receiver.times().filter((timeMs) => timeMs > sinceMs).length;
}
