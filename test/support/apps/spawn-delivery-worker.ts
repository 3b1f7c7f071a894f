import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { outputLine } from './output-line.ts';
import { type ProcessGroup, startProcessGroup } from './process-group.ts';

const MAIN = fileURLToPath(new URL('./delivery-worker.mjs', import.meta.url));
const WATCHED = new URL('./watched-worker.mjs', import.meta.url).href;

/** Where deliveries are kept and where they wait: see `delivery-parts.mjs`. */
export interface DeliveryEnvironment {
  readonly postgres?: { readonly url: string; readonly schema: string };
  readonly redisUrl?: string;
  readonly encryptionKey: Uint8Array;
}

/** How a worker is watched, and disturbed. */
export interface WorkerWatch {
  /** Called with the time at which each request began, ms since 1970. */
  readonly onBegun: (atMs: number) => void;
  /** For how long it stands still now and then, at most, ms. 0: never. */
  readonly standStillMs: number;
}

/** Starts a worker process on the built packages, for the length of the test. */
export async function spawnDeliveryWorker(
  environment: DeliveryEnvironment,
  watch?: WorkerWatch,
): Promise<ProcessGroup> {
  const imports = watch ? ['--import', WATCHED] : [];
  const group = await startProcessGroup(process.execPath, [...imports, MAIN], {
    env: { ...deliveryVariables(environment), STAND_STILL_MS: String(watch?.standStillMs ?? 0) },
    stdio: watch ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => group.kill9());
  group.child.on('message', ({ begunAtMs }: { begunAtMs: number }) => watch?.onBegun(begunAtMs));
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
