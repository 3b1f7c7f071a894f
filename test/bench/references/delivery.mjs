// node delivery.mjs <undici|bullmq>: signed POSTs to SINK_URL by a bare undici Pool, or by a bare BullMQ worker that
// posts in the same way. No rate, no log, no guard, and no retries but BullMQ's own.
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import { deliverOnDemand, eventData, IN_FLIGHT, inTurns } from './deliver-on-demand.mjs';

const pool = new Pool(process.env.SINK_URL, { connections: IN_FLIGHT, pipelining: 1 });
const key = createSecretKey(randomBytes(32));

const eventText = (nth) =>
  JSON.stringify({
    id: `msg_${nth}`,
    type: 'Contact.Added',
    timestamp: new Date().toISOString(),
    account_id: 1,
    data: eventData(nth),
  });

async function post(id, text) {
  const seconds = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${text}`).digest('base64');
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${signature}`,
    },
    body: text,
  });
  await body.dump();
  if (statusCode !== 204) throw new Error(`the sink answered ${statusCode}`);
}

async function byUndici() {
  return (count) => inTurns(count, (nth) => post(`msg_${nth}`, eventText(nth)));
}

async function byBullmq() {
  const { Queue, Worker } = await import('bullmq');
  const { Redis } = await import('ioredis');
  const connect = () => new Redis(process.env.REDIS_URL, { maxRetriesPerRequest: null });
  const queue = new Queue('hooks', { connection: connect() });
  let left = 0;
  let allDone = () => {};
  const worker = new Worker('hooks', ({ id, data }) => post(`msg_${id}`, data.text), {
    connection: connect(),
    concurrency: IN_FLIGHT,
  });
  worker.on('completed', () => {
    left -= 1;
    if (left === 0) allDone();
  });
  await worker.waitUntilReady();
  const options = {
    removeOnComplete: true,
    attempts: 10,
    backoff: { type: 'exponential', delay: 1000 },
  };
  return async (count) => {
    left = count;
    const finished = new Promise((resolve) => {
      allDone = resolve;
    });
    await inTurns(count, (nth) => queue.add('hook', { text: eventText(nth) }, options));
    await finished;
  };
}

const senders = { undici: byUndici, bullmq: byBullmq };
deliverOnDemand(await senders[process.argv[2]]());
