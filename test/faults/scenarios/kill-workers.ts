import { setTimeout as elapsed } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ProcessGroup } from '../../support/apps/process-group.ts';
import { spawnDeliveryWorker } from '../../support/apps/spawn-delivery-worker.ts';
import { startPublisher } from '../../support/apps/start-publisher.ts';
import {
  type CountingReceiver,
  startCountingReceiver,
} from '../../support/deliveries/counting-receiver.ts';
import type { RedisServer } from '../../support/servers/redis-server.ts';

const WORKERS = 3;
const WEBHOOKS = 20;
/** Slow enough that every kill finds attempts in flight. */
const ANSWER_AFTER_MS = 100;
const RATE_LIMIT = 50;
const PUBLISHED_AT_ONCE = 20;
/**
 * Redis is killed after this many workers, once deliveries flow again: each attempt of a killed worker counts among the
 * ten that its webhook may have in flight until its lease is over, so that after two or three kills little flows.
 */
const KILLS_BEFORE_REDIS = 1;
/** Deliveries flow where more than this many have arrived in a second: a tenth of what the rates allow. */
const FLOWING = 100;
const UNTIL_FLOWING_MS = 15_000;
const SECOND_MS = 1_000;
/** An attempt of a killed worker is lost after its lease of 20 s; then it waits for the engine and its turn. */
const RECOVERY_MS = 120_000;

export interface KilledWorkers {
  readonly deliveries: number;
  readonly kills: number;
  readonly everyMs: number;
  /** Whether Redis is killed and restarted too. */
  readonly crashRedis: boolean;
}

export interface KilledWorkersFigures {
  readonly deliveries: number;
  readonly kills: number;
  readonly lost: number;
  readonly duplicates: number;
  /** How many arrived twice, for each kill. At most as many as can be in flight. */
  readonly duplicatesPerKill: number;
  readonly seconds: number;
  /** How many arrived in the second before Redis was killed. */
  readonly arrivedBeforeRedis: number | null;
  /** The longest time after Redis was back in which nothing arrived, ms. */
  readonly silentAfterRedisMs: number | null;
}

/** Publishes to 20 webhooks over three workers, which are killed and replaced one after the other. */
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
  const workers: ProcessGroup[] = [];
  for (let nth = 0; nth < WORKERS; nth += 1) workers.push(await spawnDeliveryWorker(environment));

  const startedMs = performance.now();
  const acknowledged: string[] = [];
  const publishing = publishAll(deliveries, async (nth) => {
    acknowledged.push(await publisher.publish((nth % WEBHOOKS) + 1, nth));
  });
  let arrivedBeforeRedis: number | null = null;
  let redisBackMs: number | null = null;
  for (let kill = 0; kill < kills; kill += 1) {
    await elapsed(everyMs);
    await workers.shift()?.kill9();
    workers.push(await spawnDeliveryWorker(environment));
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
  await expect.poll(() => publisher.deliveries.countPending(), { timeout: RECOVERY_MS }).toBe(0);

  const lost = acknowledged.filter((id) => !receiver.arrivals.has(id)).length;
  const duplicates = [...receiver.arrivals.values()].reduce(
    (sum, { length }) => sum + length - 1,
    0,
  );
  const backMs = redisBackMs;
  const firstAfterRedis =
    backMs === null ? null : receiver.times().find((timeMs) => timeMs > backMs);
  return {
    deliveries: acknowledged.length,
    kills,
    lost,
    duplicates,
    duplicatesPerKill: Math.round(duplicates / kills),
    seconds: Math.round(seconds),
    arrivedBeforeRedis,
    silentAfterRedisMs:
      backMs === null ? null : Math.round((firstAfterRedis ?? Number.POSITIVE_INFINITY) - backMs),
  };
}

function arrivedInLastSecond(receiver: CountingReceiver): number {
  const sinceMs = performance.timeOrigin + performance.now() - SECOND_MS;
  return receiver.times().filter((timeMs) => timeMs > sinceMs).length;
}

/** Publishes a few at a time. */
async function publishAll(count: number, publish: (nth: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const nth = next;
      next += 1;
      // An event that was not acknowledged does not count: it may arrive or not.
      await publish(nth).catch(() => elapsed(50));
    }
  };
  await Promise.all(Array.from({ length: PUBLISHED_AT_ONCE }, lane));
}
