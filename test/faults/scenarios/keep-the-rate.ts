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
/** An attempt of a killed worker is lost after its lease of 20 s. */
const PATIENCE_MS = 60_000;
/** How long a worker that is stopped now and then runs before it is stopped again, at most, ms. */
const RUNS_MS = 600;

export interface RateFigures {
  readonly deliveries: number;
  /** Kills of workers and of Redis. */
  readonly kills: number;
  /** By the times at which the store admitted attempts, workers began them, and requests arrived. */
  readonly busiestSecondInStore: number;
  readonly busiestSecondAtSender: number;
  readonly busiestSecondAtReceiver: number;
  /** As a share of what the rate allows. */
  readonly throughput: number;
  readonly outOfOrder: number;
}

export interface RateLoad {
  readonly workers: number;
  readonly backlog: number;
  readonly rateLimit: number;
  /** How long each worker is stopped (SIGSTOP) now and then, at most, ms. Default: never. */
  readonly stopMs?: number;
  /** How often one of the workers is killed and another started, ms. Default: never. */
  readonly killEveryMs?: number;
  /** How often Redis is killed and restarted, ms. Default: never. */
  readonly crashRedisEveryMs?: number;
}

/** Publishes far more than the rate of a webhook allows, to several worker processes. */
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
    // The first `rateLimit` may start at once.
    throughput: (allowedMs - SECOND_MS) / tookMs,
    outOfOrder: inversions(ids, [...receiver.arrivals.keys()], rateLimit),
  };
}

/** Answers a function that ends it. */
function stopNowAndThen(worker: ProcessGroup, atMostMs: number): () => Promise<unknown> {
  return repeat(0, async () => {
    await elapsed(Math.random() * RUNS_MS);
    worker.signal('SIGSTOP');
    await elapsed(Math.random() * atMostMs);
    worker.signal('SIGCONT');
  });
}

/** Repeats an act; `undefined`: never. Answers a function that ends it and resolves to how often it was done. */
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
  // The function that ends it rejects if an act failed.
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

/** How many arrived after a delivery that was published a full window of the rate later. */
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
