import { setTimeout as elapsed } from 'node:timers/promises';
import { postgresStorage } from '@latchhook/postgres';
import type { PoolClient } from 'pg';
import { connect, openSchema } from '../../postgres/open-schema.ts';
import { inTransaction } from '../../postgres/outbox-app.ts';
import { spawnDeliveryWorker } from '../../support/apps/spawn-delivery-worker.ts';
import { startPublisherOn } from '../../support/apps/start-publisher.ts';
import {
  type CountingReceiver,
  startCountingReceiver,
} from '../../support/deliveries/counting-receiver.ts';

const ACCOUNT_ID = 1;
const NEIGHBOUR_EVENT = 'Contact.Removed';
const UNMEASURED = 50;
/** Enough for a percentile; collecting them takes several bursts. */
const SAMPLES = 300;
const EVERY_MS = 10;
const ARRIVES_WITHIN_MS = 60_000;
const POLL_MS = 5;

export interface BurstFigures {
  readonly deliveries: number;
  readonly seconds: number;
  /** The longest time between two arrivals of a burst, ms. */
  readonly longestGapMs: number;
  /** The latencies are from `publish` to the arrival, for another webhook of the same account. */
  readonly neighbourP99BetweenBurstsMs: number;
  readonly neighbourP99DuringBurstsMs: number;
  readonly ratio: number;
}

/**
 * Publishes bursts to one webhook, each in one transaction, while one worker process sends. During all bursts but the
 * first, another webhook of the same account gets single events.
 */
export async function burstOutbox(url: string, burst: number): Promise<BurstFigures> {
  const [receiver, neighbour] = [await startCountingReceiver(), await startCountingReceiver()];
  const schema = await openSchema(url);
  const pool = connect(url);
  const publisher = await startPublisherOn(postgresStorage(pool, { schema }));
  const { events } = publisher.auth;
  await publisher.register(ACCOUNT_ID, { url: receiver.url, rate_limit: 10_000 });
  const neighbourWebhook = { event: NEIGHBOUR_EVENT, url: neighbour.url, rate_limit: 10_000 };
  await publisher.register(ACCOUNT_ID, neighbourWebhook);
  await spawnDeliveryWorker({
    postgres: { url, schema },
    encryptionKey: publisher.encryptionKey,
  });

  const publishBurst = () =>
    inTransaction(pool, async (tx: PoolClient) => {
      for (let i = 0; i < burst; i += 1) {
        await events.publish('Contact.Added', { accountId: ACCOUNT_ID, data: { i } }, { tx });
      }
    });
  const neighbourLatency = async (): Promise<number> => {
    const calledMs = performance.timeOrigin + performance.now();
    const { id } = await events.publish(NEIGHBOUR_EVENT, { accountId: ACCOUNT_ID, data: {} });
    return (await arrivalOf(neighbour, id)) - calledMs;
  };
  /** Publishes one event at a time, so that no sample waits for another. */
  const sample = async (count: number, isOver = () => false): Promise<readonly number[]> => {
    const tookMs: number[] = [];
    while (tookMs.length < count && !isOver()) {
      tookMs.push(await neighbourLatency());
      await elapsed(EVERY_MS);
    }
    return tookMs;
  };

  await sample(UNMEASURED);
  await publishBurst();
  await receiver.untilDistinct(burst, ARRIVES_WITHIN_MS);
  const arrivals = [...receiver.times()];

  const betweenBursts = await sample(SAMPLES);
  const duringBursts: number[] = [];
  for (let bursts = 2; duringBursts.length < SAMPLES; bursts += 1) {
    await publishBurst();
    const isOver = () => receiver.arrivals.size >= bursts * burst;
    duringBursts.push(...(await sample(SAMPLES - duringBursts.length, isOver)));
    await receiver.untilDistinct(bursts * burst, ARRIVES_WITHIN_MS);
  }
  const [neighbourP99BetweenBurstsMs, neighbourP99DuringBurstsMs] = [
    p99(betweenBursts),
    p99(duringBursts),
  ];
  return {
    deliveries: burst,
    seconds: ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / 1_000,
    longestGapMs: Math.round(longestGap(arrivals)),
    neighbourP99BetweenBurstsMs,
    neighbourP99DuringBurstsMs,
    ratio: neighbourP99DuringBurstsMs / neighbourP99BetweenBurstsMs,
  };
}

async function arrivalOf({ arrivals }: CountingReceiver, id: string): Promise<number> {
  for (;;) {
    const [arrivedMs] = arrivals.get(id) ?? [];
    if (arrivedMs !== undefined) return arrivedMs;
    await elapsed(POLL_MS);
  }
}

function longestGap(times: readonly number[]): number {
  return Math.max(...times.slice(1).map((timeMs, i) => timeMs - (times[i] ?? timeMs)));
}

function p99(latencies: readonly number[]): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}
