import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { outputLine } from './output-line.ts';
import { type ProcessGroup, startProcessGroup } from './process-group.ts';

const MAIN = fileURLToPath(new URL('./delivery-worker.mjs', import.meta.url));
const START_TIMEOUT_MS = 30_000;

export interface DeliveryWorkerEnvironment {
  readonly redisUrl: string;
  readonly encryptionKey: Uint8Array;
}

/** A worker process of its own, on the built packages, for the length of the test. */
export async function spawnDeliveryWorker({
  redisUrl,
  encryptionKey,
}: DeliveryWorkerEnvironment): Promise<ProcessGroup> {
  const { PATH, HOME } = process.env;
  const group = await startProcessGroup(process.execPath, [MAIN], {
    env: {
      PATH,
      HOME,
      REDIS_URL: redisUrl,
      ENCRYPTION_KEY: Buffer.from(encryptionKey).toString('base64'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => group.kill9());
  await outputLine(group.child, /ready/, START_TIMEOUT_MS);
  return group;
}
