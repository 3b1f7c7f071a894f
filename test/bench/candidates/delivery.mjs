// node delivery.mjs <in-process|bullmq> [backlog]: Latchhook's own deliveries to SINK_URL, with everything that belongs
// to them: the rate of each webhook, the log, the guard, the store. The webhooks are registered as a client would.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createAuth, memoryStorage, toFetchHandler } from '@latchhook/core';
import { bullmqDelivery, inProcessDelivery } from '@latchhook/delivery';
import { redisStorage } from '@latchhook/redis';
import { Redis } from 'ioredis';
import {
  deliverOnDemand,
  eventData,
  IN_FLIGHT,
  inTurns,
} from '../references/deliver-on-demand.mjs';

const ACCOUNTS = Array.from({ length: IN_FLIGHT }, (_, index) => index + 1);

const engines = {
  'in-process': () => ({
    storage: memoryStorage(),
    delivery: inProcessDelivery(process.argv[3] === 'backlog' ? { concurrency: IN_FLIGHT } : {}),
  }),
  bullmq() {
    const connection = new Redis(process.env.REDIS_URL, { maxRetriesPerRequest: null });
    return {
      storage: redisStorage(new Redis(process.env.REDIS_URL)),
      delivery: bullmqDelivery({ connection, concurrency: IN_FLIGHT }),
    };
  },
};

const { storage, delivery } = engines[process.argv[2]]();
const user = { id: 'user-1', passwordHash: null, accounts: ACCOUNTS };
const auth = createAuth({
  issuer: 'https://issuer.example',
  users: { findByUsername: async () => user, findById: async () => user },
  passwords: { gate: false, verifier: async () => true },
  throttle: false,
  storage,
  keys: {
    signing: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    refreshSecrets: [randomBytes(32)],
    encryption: [randomBytes(32)],
  },
  webhooks: { delivery, allowHttp: true, allowPrivateAddresses: true },
});

const handle = toFetchHandler(auth);
const ask = async (path, body, headers) => {
  const request = new Request(`https://issuer.example${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const response = await handle(request);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
};
const { access_token: token } = await ask('/token', { username: 'ada@example.com', password: 'x' });
for (const account of ACCOUNTS) {
  const webhook = { event: 'Contact.Added', url: process.env.SINK_URL, rate_limit: 10_000 };
  await ask(`/webhooks?account_id=${account}`, webhook, { authorization: `Bearer ${token}` });
}

const publish = (nth) =>
  auth.events.publish('Contact.Added', {
    accountId: ACCOUNTS[nth % ACCOUNTS.length],
    data: eventData(nth),
  });

/**
 * Settles when `count` deliveries have ended; calls `onEnd` for each. It watches the engine's own calls: asking the
 * store every few milliseconds how many are left would take a fifth of the Redis that is measured.
 */
function untilDelivered(count, begin, onEnd = () => {}) {
  const { deliveries } = storage;
  const finish = deliveries.finish.bind(deliveries);
  return new Promise((resolve, reject) => {
    let left = count;
    const end = (finished) => {
      left -= 1;
      if (finished.state !== 'delivered') reject(new Error(`a delivery is ${finished.state}`));
      else if (left === 0) resolve();
      else onEnd(reject);
      return finished;
    };
    deliveries.finish = (request) => {
      const finished = finish(request);
      return finished instanceof Promise ? finished.then(end) : end(finished);
    };
    begin(reject);
  }).finally(() => {
    deliveries.finish = finish;
  });
}

/** As the bare Pool does: a fixed number is pending, and when one has ended the next is published. */
function deliverInLanes(count) {
  let published = 0;
  const publishNext = (reject) => {
    if (published < count) publish(published++).catch(reject);
  };
  const begin = (reject) => {
    for (let lane = 0; lane < IN_FLIGHT; lane += 1) publishNext(reject);
  };
  return untilDelivered(count, begin, publishNext);
}

/** As the bare queue does: everything is published at once, and waits in the queue. */
function deliverFromBacklog(count) {
  return untilDelivered(count, (reject) => inTurns(count, publish).catch(reject));
}

const isQueued = delivery.durable || process.argv[3] === 'backlog';
deliverOnDemand(isQueued ? deliverFromBacklog : deliverInLanes);
