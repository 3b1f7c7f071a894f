import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { outputLine } from './output-line.ts';
import { type ProcessGroup, startProcessGroup } from './process-group.ts';

const MAIN = fileURLToPath(new URL('./delivery-worker.mjs', import.meta.url));

/** Where deliveries are kept and where they wait: see `delivery-parts.mjs`. */
export interface DeliveryEnvironment {
  readonly postgres?: { readonly url: string; readonly schema: string };
  readonly redisUrl?: string;
  readonly encryptionKey: Uint8Array;
}

/** A worker process of its own, on the built packages, for the length of the test. */
export async function spawnDeliveryWorker(environment: DeliveryEnvironment): Promise<ProcessGroup> {
  const group = await startProcessGroup(process.execPath, [MAIN], {
    env: deliveryVariables(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => group.kill9());
  await outputLine(group.child, /ready/);
  return group;
}

/** The environment as `delivery-parts.mjs` reads it. */
export function deliveryVariables({
  postgres,
  redisUrl,
  encryptionKey,
}: DeliveryEnvironment): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return {
    PATH,
    HOME,
    ...(postgres && { PG_URL: postgres.url, PG_SCHEMA: postgres.schema }),
    ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
    ENCRYPTION_KEY: Buffer.from(encryptionKey).toString('base64'),
  };
}
