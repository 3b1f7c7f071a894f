import { postgresStorage } from '@latchhook/postgres';
import { connect, openSchema } from '../../postgres/open-schema.ts';
import { inTransaction } from '../../postgres/outbox-app.ts';
import { spawnDeliveryWorker } from '../../support/apps/spawn-delivery-worker.ts';
import { startPublisherOn } from '../../support/apps/start-publisher.ts';
import { startCountingReceiver } from '../../support/deliveries/counting-receiver.ts';

const ACCOUNTS = 20;
const LANES = 8;
const UNMEASURED = 500;
const SECOND_MS = 1_000;

export interface PublishFigures {
  /** Transactions a second, each with one event. */
  readonly aloneASecond: number;
  readonly besideASecond: number;
  readonly share: number;
  /** The number of deliveries while the second half was published, and of waiting deliveries at its end. */
  readonly sentMeanwhile: number;
  readonly pendingAtEnd: number;
}

/** Publishes in transactions: first without a worker, then as many while a worker sends the waiting deliveries. */
export async function publishWhileSending(
  url: string,
  transactions: number,
): Promise<PublishFigures> {
  const receiver = await startCountingReceiver();
  const schema = await openSchema(url);
  const pool = connect(url, { max: LANES + 2 });
  const publisher = await startPublisherOn(postgresStorage(pool, { schema }));
  for (let account = 1; account <= ACCOUNTS; account += 1) {
    await publisher.register(account, { url: receiver.url, rate_limit: 10_000 });
  }
  const { events } = publisher.auth;

  /** Runs `count` transactions; resolves to the number per second. */
  const publish = async (count: number): Promise<number> => {
    const startedMs = performance.now();
    let next = 0;
    const lane = async () => {
      while (next < count) {
        const i = next;
        next += 1;
        const message = { accountId: (i % ACCOUNTS) + 1, data: { i } };
        await inTransaction(pool, (tx) => events.publish('Contact.Added', message, { tx }));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return Math.round((SECOND_MS * count) / (performance.now() - startedMs));
  };

  await publish(UNMEASURED);
  const aloneASecond = await publish(transactions);
  await spawnDeliveryWorker({ postgres: { url, schema }, encryptionKey: publisher.encryptionKey });
  await receiver.untilDistinct(1);
  const before = receiver.arrivals.size;
  const besideASecond = await publish(transactions);
  const sentMeanwhile = receiver.arrivals.size - before;
  const { pending } = await publisher.deliveries.stats();
  return {
    aloneASecond,
    besideASecond,
    share: besideASecond / aloneASecond,
    sentMeanwhile,
    pendingAtEnd: pending,
  };
}
