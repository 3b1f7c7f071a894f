import { fileURLToPath } from 'node:url';
import { postgresStorage } from '@latchhook/postgres';
import { expect, onTestFinished } from 'vitest';
import { connect, openSchema } from '../../postgres/open-schema.ts';
import { type ProcessGroup, startProcessGroup } from '../../support/apps/process-group.ts';
import {
  type DeliveryEnvironment,
  deliveryVariables,
  spawnDeliveryWorker,
} from '../../support/apps/spawn-delivery-worker.ts';
import { type RegisteredWebhook, startPublisherOn } from '../../support/apps/start-publisher.ts';
import {
  type CountingReceiver,
  startCountingReceiver,
} from '../../support/deliveries/counting-receiver.ts';
import { deliveryLog } from '../../support/deliveries/delivery-log.ts';
import { untilDrained } from '../../support/deliveries/until-drained.ts';
import { type OutboxFigures, outboxFigures } from './outbox-figures.ts';
import { OutboxJournal } from './outbox-journal.ts';

const HOST = fileURLToPath(new URL('./outbox-host.mjs', import.meta.url));
const HOST_NAME = 'outbox host';
const LANES = 8;
/** Fewer than `LANES`, so that transactions wait for each other's rows, which tests the order of commits. */
const ACCOUNTS = 5;
/** The delay of a response, ms, by which a kill finds attempts in flight. */
const ANSWER_AFTER_MS = 20;
/** The time after which PostgreSQL must have noticed that a host was killed, ms. */
const HOST_GONE_MS = 10_000;
/** Longer than the lease of 20 s and the wait in the queue after it, ms. */
const RECOVERY_MS = 120_000;

/** The PostgreSQL of an outbox test. */
export interface OutboxPlace {
  /** Its URL. */
  readonly url: string;
  /** The URL for hosts and workers. Default: `url`. */
  readonly urlOfProcesses?: string;
  readonly transactions: number;
}

/** A database with the host's table and a webhook for each account. No process runs yet. */
export interface OutboxFixture {
  readonly journal: OutboxJournal;
  readonly receiver: CountingReceiver;
  readonly transactions: number;
  /** Starts a host that continues where the last host stopped. */
  startHost(): Promise<OutboxHost>;
  startWorker(): Promise<ProcessGroup>;
  /** Waits until all committed events are delivered, and compares the arrivals with the host's table. */
  figures(): Promise<OutboxFigures>;
}

export interface OutboxHost {
  readonly hasExited: () => boolean;
  /** Resolves when the host has run all transactions. */
  exited(): Promise<void>;
  /** Kills the host; resolves once all of its output has been read. */
  kill9(): Promise<void>;
}

export async function openOutboxFixture(place: OutboxPlace): Promise<OutboxFixture> {
  const { url, urlOfProcesses = url, transactions } = place;
  const receiver = await startCountingReceiver({ answerAfterMs: ANSWER_AFTER_MS });
  const schema = await openSchema(url);
  const pool = connect(url);
  await pool.query(`
    CREATE TABLE ${schema}.host_accounts (account_id int PRIMARY KEY, version int NOT NULL);
    INSERT INTO ${schema}.host_accounts SELECT id, 0 FROM generate_series(1, ${ACCOUNTS}) id;
    CREATE TABLE ${schema}.host_events (
      account_id int, version int, nth int, place int, message_id text);
  `);
  const publisher = await startPublisherOn(postgresStorage(pool, { schema }));
  const webhooks: RegisteredWebhook[] = [];
  for (let account = 1; account <= ACCOUNTS; account += 1) {
    webhooks.push(await publisher.register(account, { url: receiver.url, rate_limit: 10_000 }));
  }
  const environment: DeliveryEnvironment = {
    postgres: { url: urlOfProcesses, schema },
    encryptionKey: publisher.encryptionKey,
  };
  const journal = new OutboxJournal();

  async function hostConnections(): Promise<number> {
    const { rows } = await pool.query(
      'SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = $1',
      [HOST_NAME],
    );
    return rows[0].count;
  }

  return {
    journal,
    receiver,
    transactions,
    startHost: () => spawnHost(environment, journal, transactions),
    startWorker: () => spawnDeliveryWorker(environment),
    async figures() {
      await expect.poll(hostConnections, { timeout: HOST_GONE_MS }).toBe(0);
      const { rows } = await pool.query(`SELECT * FROM ${schema}.host_events
        ORDER BY account_id, version, place`);
      await receiver.untilDistinct(rows.length, RECOVERY_MS);
      await untilDrained(publisher.deliveries, RECOVERY_MS);
      const logs = await Promise.all(
        webhooks.map((webhook) => deliveryLog(publisher.deliveries, webhook)),
      );
      return outboxFigures({ events: rows, logs, journal, arrivals: receiver.arrivals });
    },
  };
}

async function spawnHost(
  environment: DeliveryEnvironment,
  journal: OutboxJournal,
  transactions: number,
): Promise<OutboxHost> {
  const numbers = { FIRST: journal.next, LAST: transactions, LANES, ACCOUNTS };
  const group = await startProcessGroup(process.execPath, [HOST], {
    env: {
      ...deliveryVariables(environment),
      ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, `${value}`])),
      PGAPPNAME: HOST_NAME,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => group.kill9());
  const { stdout } = group.child;
  if (stdout === null) throw new Error('the host has no output');
  const before = journal.begun.size;
  const read = journal.read(stdout);
  await expect
    .poll(() => journal.begun.size > before || group.hasExited(), { timeout: 30_000, interval: 5 })
    .toBe(true);
  return {
    hasExited: group.hasExited,
    exited: async () => {
      await group.exited();
      await read;
    },
    kill9: async () => {
      await group.kill9();
      await read;
    },
  };
}
