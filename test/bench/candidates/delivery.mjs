// node delivery.mjs <memory|redis|postgres> <both|publish|work>: Latchhook's own deliveries to SINK_URL, with
// everything that belongs to them: the rate of each webhook, the log, the guard, the store.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { createAuth, memoryStorage } from '@latchhook/core';
import { createDeliveryWorker, inProcessWorker } from '@latchhook/delivery';
import { migrate, postgresStorage } from '@latchhook/postgres';
import { redisStorage } from '@latchhook/redis';
import { Redis } from 'ioredis';
import pg from 'pg';
import { eventData, IN_FLIGHT, publishOnDemand } from '../references/deliver-on-demand.mjs';

const [, , store, role = 'both'] = process.argv;
/** Each has a webhook. They share the events of a turn with fifty webhooks. */
const ACCOUNTS = Array.from({ length: IN_FLIGHT }, (_, index) => index + 1);
/** Has a webhook too, which gets all events of a turn with one webhook. */
const BURST_ACCOUNT = 1_000;

const storages = {
  memory: async () => memoryStorage(),
  redis: async () => redisStorage(new Redis(process.env.REDIS_URL, { maxRetriesPerRequest: 1 })),
  async postgres() {
    const pool = new pg.Pool({ connectionString: process.env.PG_URL, max: 20 });
    if (role !== 'work') await migrate(pool);
    return postgresStorage(pool);
  },
};

const storage = await storages[store]();
/** The same in the publisher and in the worker. */
const keyFor = (purpose) => createHash('sha256').update(purpose).digest();
const encryption = [keyFor('encryption')];
const worker = inProcessWorker({ concurrency: IN_FLIGHT });
const limits = {
  allowHttp: true,
  allowPrivateAddresses: true,
  maxInFlightPerWebhook: IN_FLIGHT,
  maxInFlightPerAccount: IN_FLIGHT,
};

if (role === 'work') {
  createDeliveryWorker({ storage, keys: { encryption }, webhooks: { ...limits, worker } });
  publishOnDemand(() => {});
} else {
  const auth = createAuth({
    issuer: 'https://issuer.example',
    users: { findByUsername: async () => null, findById: async () => null },
    passwords: { limitConcurrency: false, verifier: async () => true },
    throttle: false,
    storage,
    keys: {
      signing: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      refreshSecrets: [keyFor('refresh tokens')],
      encryption,
    },
    webhooks: { ...limits, worker: role === 'both' ? worker : false },
  });
  for (const account of [...ACCOUNTS, BURST_ACCOUNT]) {
    const webhook = { event: 'Contact.Added', url: process.env.SINK_URL, rateLimit: 10_000 };
    const { outcome } = await auth.webhooks.create(account, webhook);
    if (outcome !== 'created') throw new Error(outcome);
  }
  const accountOf = (nth, webhooks) =>
    webhooks === 1 ? BURST_ACCOUNT : ACCOUNTS[nth % ACCOUNTS.length];
  publishOnDemand((nth, webhooks) =>
    auth.events.publish('Contact.Added', {
      accountId: accountOf(nth, webhooks),
      data: eventData(nth),
    }),
  );
}
