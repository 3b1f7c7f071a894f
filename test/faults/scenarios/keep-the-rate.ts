import { setTimeout as elapsed } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ProcessGroup } from '../../support/apps/process-group.ts';
import { spawnDeliveryWorker } from '../../support/apps/spawn-delivery-worker.ts';
import { startPublisher } from '../../support/apps/start-publisher.ts';
import {
  busiestWindow,
  startCountingReceiver,
} from '../../support/deliveries/counting-receiver.ts';
import { deliveryLog } from '../../support/deliveries/delivery-log.ts';
import type { RedisServer } from '../../support/servers/redis-server.ts';

const SECOND_MS = 1_000;
const PUBLISHED_AT_ONCE = 50;
/** Longer than the lease of 20 s, after which an attempt of a killed worker is repeated, ms. */
const PATIENCE_MS = 60_000;
/** The longest time that a worker runs between two stops (SIGSTOP), ms. */
const RUNS_MS = 600;

export interface RateFigures {
  readonly deliveries: number;
  /** Kills of workers and of Redis. */
  readonly kills: number;
  /** By the times at which the store leased attempts, workers began them, and requests arrived. */
  readonly busiestSecondInStore: number;
  readonly busiestSecondAtSender: number;
  readonly busiestSecondAtReceiver: number;
  /** The throughput as a share of the rate. */
  readonly throughput: number;
  readonly outOfOrder: number;
}

export interface RateLoad {
  readonly workers: number;
  readonly backlog: number;
  readonly rateLimit: number;
  /** The longest stop (SIGSTOP) of a worker, ms. Default: workers are not stopped. */
  readonly stopMs?: number;
  /** The interval at which a worker is killed and a new one started, ms. Default: never. */
  readonly killEveryMs?: number;
  /** The interval at which Redis is killed and restarted, ms. Default: never. */
  readonly crashRedisEveryMs?: number;
}

/** Publishes far more than the rate of a webhook allows, while several worker processes send. */
export async function keepTheRate(
  redis: RedisServer,
  { workers, backlog, rateLimit, stopMs, killEveryMs, crashRedisEveryMs }: RateLoad,
): Promise<RateFigures> {
  const receiver = await startCountingReceiver();
  const publisher = await startPublisher(redis.url);
  const webhook = await publisher.register(1, { url: receiver.url, rate_limit: rateLimit });
  const ids: string[] = [];
  for (let i = 0; i < backlog; i += PUBLISHED_AT_ONCE) {
    const batch = Array.from({ length: PUBLISHED_AT_ONCE }, (_, index) => i + index);
    ids.push(...(await Promise.all(batch.map((one) => publisher.publish(1, one)))));
  }
  const environment = { redisUrl: redis.url, encryptionKey: publisher.encryptionKey };
  const beginTimes: number[] = [];
  const watch = { onBegun: (atMs: number) => void beginTimes.push(atMs) };
  const spawn = () => spawnDeliveryWorker(environment, watch);
  const working = await Promise.all(Array.from({ length: workers }, spawn));
  const endStops =
    stopMs === undefined ? [] : working.map((worker) => stopNowAndThen(worker, stopMs));
  const endKills = repeat(killEveryMs, async () => {
    await working.shift()?.kill9();
    working.push(await spawn());
  });
  const endCrashes = repeat(crashRedisEveryMs, async () => {
    await redis.kill9();
    await redis.restart();
  });

  const allowedMs = (backlog / rateLimit) * SECOND_MS;
  await receiver.untilDistinct(backlog, 1.5 * allowedMs + PATIENCE_MS);
  const [kills, crashes] = await Promise.all([endKills(), endCrashes()]);
  await Promise.all(endStops.map((end) => end()));
  await expect.poll(() => beginTimes.length).toBeGreaterThanOrEqual(backlog);
  const arrivals = receiver.times();
  const tookMs = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0);
  const log = await deliveryLog(publisher.deliveries, webhook);
  const starts = log.flatMap(({ attempts }) => attempts.map(({ startedAtMs }) => startedAtMs));
  return {
    deliveries: receiver.arrivals.size,
    kills: kills + crashes,
    busiestSecondInStore: busiestSecond(starts),
    busiestSecondAtSender: busiestSecond(beginTimes),
    busiestSecondAtReceiver: busiestSecond(arrivals),
    // The first `rateLimit` attempts may start immediately.
    throughput: (allowedMs - SECOND_MS) / tookMs,
    outOfOrder: inversions(ids, [...receiver.arrivals.keys()], rateLimit),
  };
}

/** Stops and resumes a worker at random times. Returns a function that ends this. */
function stopNowAndThen(worker: ProcessGroup, atMostMs: number): () => Promise<unknown> {
  return repeat(0, async () => {
    await elapsed(Math.random() * RUNS_MS);
    worker.signal('SIGSTOP');
    await elapsed(Math.random() * atMostMs);
    worker.signal('SIGCONT');
  });
}

/** Repeats `act`; `undefined`: never. Returns a function that ends this and resolves to the number of repetitions. */
function repeat(everyMs: number | undefined, act: () => Promise<void>): () => Promise<number> {
  const ended = new AbortController();
  const { signal } = ended;
  let times = 0;
  const repeating = (async () => {
    while (everyMs !== undefined && !signal.aborted) {
      await elapsed(everyMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await act();
      times += 1;
    }
  })();
  // The returned function rejects if `act` failed.
  repeating.catch(() => {});
  return async () => {
    ended.abort();
    await repeating;
    return times;
  };
}

function busiestSecond(times: readonly number[]): number {
  return busiestWindow(
    times.toSorted((a, b) => a - b),
    SECOND_MS,
  );
}

/** The number of deliveries that arrived after one that was published more than `window` deliveries later. */
function inversions(
  published: readonly string[],
  arrived: readonly string[],
  window: number,
): number {
  const position = new Map(published.map((id, index) => [id, index]));
  let furthest = -1;
  let count = 0;
  for (const id of arrived) {
    const index = position.get(id) ?? 0;
    if (index < furthest - window) count += 1;
    furthest = Math.max(furthest, index);
  }
  return count;
}
