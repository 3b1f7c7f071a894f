import { expect, it, onTestFinished } from 'vitest';
import { type RedisServer, startRedisServer } from '../support/servers/redis-server.ts';
import { reportFigures } from './report-figures.ts';
import { keepTheRate } from './scenarios/keep-the-rate.ts';
import { noisyNeighbours } from './scenarios/noisy-neighbours.ts';

async function durableRedis(): Promise<RedisServer> {
  const redis = await startRedisServer({
    config: { appendonly: 'yes', appendfsync: 'everysec', 'maxmemory-policy': 'noeviction' },
  });
  onTestFinished(() => redis.stop());
  return redis;
}

it('four processes never start more than 50 attempts a second with 5,000 deliveries waiting', async () => {
  const load = { workers: 4, backlog: 5_000, rateLimit: 50 };
  const figures = await keepTheRate(await durableRedis(), load);
  reportFigures('50 a second over four processes', figures);
  expect(figures.busiestSecondInStore).toBeLessThanOrEqual(50);
  expect(figures.busiestSecondAtSender).toBeLessThanOrEqual(50);
  expect(figures.busiestSecondAtReceiver).toBeLessThanOrEqual(52);
  expect(figures.throughput).toBeGreaterThanOrEqual(0.95);
  expect(figures.outOfOrder).toBe(0);
});

it('four processes that are stopped now and then never start more than 50 attempts a second', async () => {
  const load = { workers: 4, backlog: 2_000, rateLimit: 50, stopMs: 900 };
  const figures = await keepTheRate(await durableRedis(), load);
  reportFigures('50 a second over four processes that are stopped', figures);
  expect(figures.deliveries).toBe(2_000);
  expect(figures.busiestSecondInStore).toBeLessThanOrEqual(50);
  expect(figures.busiestSecondAtSender).toBeLessThanOrEqual(50);
  expect(figures.busiestSecondAtReceiver).toBeLessThanOrEqual(52);
  expect(figures.throughput).toBeGreaterThanOrEqual(0.85);
});

it('four processes, one killed every second, never start more than 100 attempts a second', async () => {
  const load = { workers: 4, backlog: 4_000, rateLimit: 100, killEveryMs: 1_000 };
  const figures = await keepTheRate(await durableRedis(), load);
  reportFigures('100 a second over four processes that are killed', figures);
  expect(figures.deliveries).toBe(4_000);
  expect(figures.kills).toBeGreaterThan(20);
  expect(figures.busiestSecondInStore).toBeLessThanOrEqual(100);
  expect(figures.busiestSecondAtSender).toBeLessThanOrEqual(100);
});

it('workers never start more than 20 attempts a second though Redis is killed repeatedly', async () => {
  const load = { workers: 4, backlog: 800, rateLimit: 20, crashRedisEveryMs: 4_000 };
  const figures = await keepTheRate(await durableRedis(), load);
  reportFigures('20 a second over a Redis that is killed', figures);
  expect(figures.deliveries).toBe(800);
  expect(figures.kills).toBeGreaterThan(8);
  expect(figures.busiestSecondInStore).toBeLessThanOrEqual(20);
  expect(figures.busiestSecondAtSender).toBeLessThanOrEqual(20);
});

it('healthy webhooks stay quick despite a backlog of 20,000 and a hundred hanging receivers', async () => {
  const { url } = await durableRedis();
  const figures = await noisyNeighbours(url, { workers: 2, backlog: 20_000 });
  reportFigures('noisy neighbours', figures);
  expect(figures.ratio).toBeLessThanOrEqual(2);
  expect(figures.pending).toBeGreaterThan(10_000);
});
