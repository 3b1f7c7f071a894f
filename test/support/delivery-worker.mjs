// A process that sends and serves no HTTP, as a deployment would run it. `REDIS_URL`, `ENCRYPTION_KEY` (base64); prints
// `ready`, and ends cleanly on SIGTERM.
import { bullmqDelivery, createDeliveryWorker } from '@latchhook/delivery';
import { redisStorage } from '@latchhook/redis';
import { Redis } from 'ioredis';

const { REDIS_URL, ENCRYPTION_KEY = '' } = process.env;
const connect = () => {
  const redis = new Redis(REDIS_URL, {
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
    maxRetriesPerRequest: 1,
  });
  redis.on('error', (error) => process.stderr.write(`redis: ${error.message}\n`));
  return redis;
};
const connection = connect();
const storage = connect();
const worker = createDeliveryWorker({
  storage: redisStorage(storage),
  keys: { encryption: [Buffer.from(ENCRYPTION_KEY, 'base64')] },
  webhooks: {
    delivery: bullmqDelivery({ connection }),
    allowHttp: true,
    allowPrivateAddresses: true,
  },
});

process.once('SIGTERM', async () => {
  await worker.close();
  connection.disconnect();
  storage.disconnect();
});
process.stdout.write('ready\n');
