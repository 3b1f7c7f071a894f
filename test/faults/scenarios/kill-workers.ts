import { setTimeout as elapsed } from 'node:timers/promises';
import { expect } from 'vitest';
import {
  type DeliveryEnvironment,
  spawnDeliveryWorker,
} from '../../support/apps/spawn-delivery-worker.ts';
import { startPublisher } from '../../support/apps/start-publisher.ts';
import {
  type CountingReceiver,
  startCountingReceiver,
} from '../../support/deliveries/counting-receiver.ts';
import { untilDrained } from '../../support/deliveries/until-drained.ts';
import type { RedisServer } from '../../support/servers/redis-server.ts';

const WORKERS = 3;
const WEBHOOKS = 20;
/** The delay of a response, ms, by which every kill finds attempts in flight. */
const ANSWER_AFTER_MS = 100;
const RATE_LIMIT = 50;
const PUBLISHED_AT_ONCE = 20;
/**
 * Redis is killed after this number of kills, once deliveries flow again. Attempts of killed workers count as in flight
 * until their leases end, so after two or three kills few deliveries flow.
 */
const KILLS_BEFORE_REDIS = 1;
/** Deliveries flow if more than this number arrive in a second: a tenth of the rates. */
const FLOWING = 100;
const UNTIL_FLOWING_MS = 15_000;
const SECOND_MS = 1_000;
/** The time to read the last messages of a stopped worker, ms. */
const LAST_WORDS_MS = 50;
/** Longer than the lease of 20 s and the wait in the queue after it, ms. */
const RECOVERY_MS = 120_000;

export interface KilledWorkers {
  readonly deliveries: number;
  readonly kills: number;
  readonly everyMs: number;
  /** Whether Redis is also killed and restarted. */
  readonly crashRedis: boolean;
}

export interface KilledWorkersFigures {
  readonly deliveries: number;
  readonly kills: number;
  readonly lost: number;
  readonly duplicates: number;
  /** The number of attempts in flight at all kills of workers. */
  readonly inFlightAtKills: number;
  /** The longest time between two arrivals of one delivery, ms; 0: none arrived twice. */
  readonly slowestBackMs: number;
  readonly seconds: number;
  /** The number of arrivals in the second before the kill of Redis. */
  readonly arrivedBeforeRedis: number | null;
  /** The longest time after Redis was back in which nothing arrived, ms. */
  readonly silentAfterRedisMs: number | null;
}

/** Publishes to 20 webhooks while three workers send, which are killed and replaced one after the other. */
export async function killWorkers(
  redis: RedisServer,
  { deliveries, kills, everyMs, crashRedis }: KilledWorkers,
): Promise<KilledWorkersFigures> {
  const receiver = await startCountingReceiver({ answerAfterMs: ANSWER_AFTER_MS });
  const publisher = await startPublisher(redis.url);
  const environment = { redisUrl: redis.url, encryptionKey: publisher.encryptionKey };
  for (let account = 1; account <= WEBHOOKS; account += 1) {
    await publisher.register(account, { url: receiver.url, rate_limit: RATE_LIMIT });
  }
  const workers: CountedWorker[] = [];
  for (let nth = 0; nth < WORKERS; nth += 1) workers.push(await spawnCounted(environment));

  const startedMs = performance.now();
  const acknowledged: string[] = [];
  const publishing = publishAll(deliveries, async (nth) => {
    acknowledged.push(await publisher.publish((nth % WEBHOOKS) + 1, nth));
  });
  let inFlightAtKills = 0;
  let arrivedBeforeRedis: number | null = null;
  let redisBackMs: number | null = null;
  for (let kill = 0; kill < kills; kill += 1) {
    await elapsed(everyMs);
    inFlightAtKills += (await workers.shift()?.kill9()) ?? 0;
    workers.push(await spawnCounted(environment));
    if (crashRedis && kill + 1 === KILLS_BEFORE_REDIS) {
      const noteArrivals = () => {
        arrivedBeforeRedis = arrivedInLastSecond(receiver);
        return arrivedBeforeRedis;
      };
      await expect.poll(noteArrivals, { timeout: UNTIL_FLOWING_MS }).toBeGreaterThan(FLOWING);
      await redis.kill9();
      await redis.restart();
      redisBackMs = performance.timeOrigin + performance.now();
    }
  }
  await publishing;
  await receiver.untilDistinct(new Set(acknowledged).size, RECOVERY_MS);
  const seconds = (performance.now() - startedMs) / 1000;
  await untilDrained(publisher.deliveries, RECOVERY_MS);

  const lost = acknowledged.filter((id) => !receiver.arrivals.has(id)).length;
  const backMs = [...receiver.arrivals.values()].flatMap(gapsBetween);
  return {
    deliveries: acknowledged.length,
    kills,
    lost,
    duplicates: backMs.length,
    inFlightAtKills,
    slowestBackMs: Math.round(Math.max(0, ...backMs)),
    seconds: Math.round(seconds),
    arrivedBeforeRedis,
    silentAfterRedisMs: redisBackMs === null ? null : silenceAfter(redisBackMs, receiver),
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

/** Publishes a few events at a time. */
async function publishAll(count: number, publish: (nth: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const nth = next;
      next += 1;
      // An event without acknowledgement does not count, because it may arrive or not.
      await publish(nth).catch(() => elapsed(50));
    }
  };
  await Promise.all(Array.from({ length: PUBLISHED_AT_ONCE }, lane));
}
