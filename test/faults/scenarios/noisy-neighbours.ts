import { setTimeout as elapsed } from 'node:timers/promises';
import { spawnDeliveryWorker } from '../../support/apps/spawn-delivery-worker.ts';
import { startPublisher } from '../../support/apps/start-publisher.ts';
import {
  type CountingReceiver,
  startCountingReceiver,
} from '../../support/deliveries/counting-receiver.ts';

const HEALTHY = 98;
const ROUNDS = 40;
const ROUND_MS = 250;
const PUBLISHED_AT_ONCE = 100;

export interface NeighbourFigures {
  readonly aloneP99Ms: number;
  readonly besideP99Ms: number;
  readonly ratio: number;
}

/** Measures deliveries to 98 healthy webhooks, alone, and then beside one with a backlog and one that hangs. */
export async function noisyNeighbours(
  redisUrl: string,
  { workers, backlog }: { workers: number; backlog: number },
): Promise<NeighbourFigures> {
  const healthy = await startCountingReceiver();
  const hanging = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
  const publisher = await startPublisher(redisUrl);
  const noisy = HEALTHY + 1;
  const stuck = HEALTHY + 2;
  for (let account = 1; account <= HEALTHY; account += 1) {
    await publisher.register(account, { url: healthy.url });
  }
  await publisher.register(noisy, { url: healthy.url.replace('/hooks', '/noisy') });
  await publisher.register(stuck, { url: hanging.url });
  const environment = { redisUrl, encryptionKey: publisher.encryptionKey };
  await Promise.all(Array.from({ length: workers }, () => spawnDeliveryWorker(environment)));

  const measure = () => p99OfRounds(healthy, (account, nth) => publisher.publish(account, nth));
  await measure();
  const aloneP99Ms = await measure();
  for (let nth = 0; nth < backlog; nth += PUBLISHED_AT_ONCE) {
    const batch = Array.from({ length: PUBLISHED_AT_ONCE }, (_, index) => nth + index);
    await Promise.all(batch.map((one) => publisher.publish(noisy, one)));
    await publisher.publish(stuck, nth);
  }
  const besideP99Ms = await measure();
  return { aloneP99Ms, besideP99Ms, ratio: besideP99Ms / aloneP99Ms };
}

/** The p99 from the call of `publish` to the arrival, over all healthy webhooks. */
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
