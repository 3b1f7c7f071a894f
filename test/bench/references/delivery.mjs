// node delivery.mjs <undici|bullmq|pg-boss|graphile> <both|publish|work>: signed POSTs to SINK_URL by a bare undici
// Pool, or by the bare worker of a queue that posts in the same way. No rate, no log, no guard, and no retries but the
// queue's own.
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import { peer } from '../harness/peer.mjs';
import { eventData, IN_FLIGHT, publishOnDemand } from './deliver-on-demand.mjs';

const [, , sender, role = 'both'] = process.argv;
const [publishes, works] = [role !== 'work', role !== 'publish'];
const pool = new Pool(process.env.SINK_URL, { connections: IN_FLIGHT, pipelining: 1 });
const key = createSecretKey(randomBytes(32));
let lastId = 0;

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

/** Each returns what publishes the text of an event. */
const senders = {
  undici: async () => (text) => post(`msg_${lastId++}`, text),

  async bullmq() {
    const { Queue, Worker } = peer('bullmq');
    const connection = { url: process.env.REDIS_URL, maxRetriesPerRequest: null };
    if (works) {
      const send = ({ id, data }) => post(`msg_${id}`, data.text);
      await new Worker('hooks', send, { connection, concurrency: IN_FLIGHT }).waitUntilReady();
    }
    const queue = new Queue('hooks', { connection });
    const options = {
      removeOnComplete: true,
      attempts: 10,
      backoff: { type: 'exponential', delay: 1000 },
    };
    return (text) => queue.add('hook', { text }, options);
  },

  async 'pg-boss'() {
    const PgBoss = peer('pg-boss');
    const boss = new PgBoss({ connectionString: process.env.PG_URL, max: 20 });
    await boss.start();
    await boss.createQueue('hooks').catch(() => {});
    if (works) {
      // Batches as large as its concurrency: one job at a time would wait for each other.
      const send = (jobs) => Promise.all(jobs.map(({ id, data }) => post(id, data.text)));
      const options = { batchSize: IN_FLIGHT, pollingIntervalSeconds: 0.5 };
      for (let nth = 0; nth < 4; nth += 1) await boss.work('hooks', options, send);
    }
    return (text) => boss.send('hooks', { text }, { retryLimit: 10, retryBackoff: true });
  },

  async graphile() {
    const { makeWorkerUtils, run } = peer('graphile-worker');
    const connectionString = process.env.PG_URL;
    const utils = await makeWorkerUtils({ connectionString, maxPoolSize: 20 });
    await utils.migrate();
    if (works) {
      await run({
        connectionString,
        maxPoolSize: 20,
        concurrency: IN_FLIGHT,
        noHandleSignals: true,
        logger: new (peer('graphile-worker').Logger)(() => () => {}),
        taskList: { hook: ({ text }, { job }) => post(`msg_${job.id}`, text) },
      });
    }
    return (text) => utils.addJob('hook', { text }, { maxAttempts: 10 });
  },
};

const publish = await senders[sender]();
publishOnDemand(publishes ? (nth) => publish(eventText(nth)) : () => {});
