import { setTimeout as elapsed } from 'node:timers/promises';
import { spawnDeliveryWorker } from '../../support/apps/spawn-delivery-worker.ts';
import { startPublisher } from '../../support/apps/start-publisher.ts';
import {
  type CountingReceiver,
  startCountingReceiver,
} from '../../support/deliveries/counting-receiver.ts';

const HEALTHY = 98;
/** The account of a webhook with a backlog. */
const NOISY = HEALTHY + 1;
/** The account of a hundred webhooks with a hanging receiver. */
const STUCK = HEALTHY + 2;
const HANGING = 100;
/** The backlog of each hanging webhook: twice its limit of attempts in flight. */
const HANGING_BACKLOG = 20;
const ROUNDS = 40;
const ROUND_MS = 250;
const PUBLISHED_AT_ONCE = 100;

export interface NeighbourFigures {
  readonly aloneP99Ms: number;
  readonly besideP99Ms: number;
  readonly ratio: number;
  /** The number of waiting deliveries at the end, which shows that the noise has lasted. */
  readonly pending: number;
}

/** Measures deliveries to 98 healthy webhooks: without others, and with a backlog and a hundred hanging webhooks. */
export async function noisyNeighbours(
  redisUrl: string,
  { workers, backlog }: { workers: number; backlog: number },
): Promise<NeighbourFigures> {
  const healthy = await startCountingReceiver();
  const hanging = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
  const publisher = await startPublisher(redisUrl);
  for (let account = 1; account <= HEALTHY; account += 1) {
    await publisher.register(account, { url: healthy.url });
  }
  await publisher.register(NOISY, { url: healthy.url.replace('/hooks', '/noisy') });
  for (let nth = 0; nth < HANGING; nth += 1) await publisher.register(STUCK, { url: hanging.url });
  const environment = { redisUrl, encryptionKey: publisher.encryptionKey };
  await Promise.all(Array.from({ length: workers }, () => spawnDeliveryWorker(environment)));

  const measure = () => p99OfRounds(healthy, (account, nth) => publisher.publish(account, nth));
  // To warm up.
  await measure();
  const aloneP99Ms = await measure();
  for (let nth = 0; nth < backlog; nth += PUBLISHED_AT_ONCE) {
    const batch = Array.from({ length: PUBLISHED_AT_ONCE }, (_, index) => nth + index);
    await Promise.all(batch.map((one) => publisher.publish(NOISY, one)));
  }
  for (let nth = 0; nth < HANGING_BACKLOG; nth += 1) await publisher.publish(STUCK, nth);
  const besideP99Ms = await measure();
  const { pending } = await publisher.deliveries.stats();
  return { aloneP99Ms, besideP99Ms, ratio: besideP99Ms / aloneP99Ms, pending };
}

/** The p99 of the time from `publish` to the arrival, over all healthy webhooks. */
async function p99OfRounds(
  receiver: CountingReceiver,
  publish: (account: number, nth: number) => Promise<string>,
): Promise<number> {
  const latencies: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const published = await Promise.all(
      Array.from({ length: HEALTHY }, async (_, index) => {
        const calledMs = performance.timeOrigin + performance.now();
        return { calledMs, id: await publish(index + 1, round) };
      }),
    );
    await elapsed(ROUND_MS);
    for (const { id, calledMs } of published) {
      const arrivedMs = await arrivalOf(receiver, id);
      latencies.push(arrivedMs - calledMs);
    }
  }
  latencies.sort((a, b) => a - b);
  return latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
}

async function arrivalOf(receiver: CountingReceiver, id: string): Promise<number> {
  for (;;) {
    const [arrivedMs] = receiver.arrivals.get(id) ?? [];
    if (arrivedMs !== undefined) return arrivedMs;
    await elapsed(10);
  }
}
