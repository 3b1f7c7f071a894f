import { fileURLToPath } from 'node:url';
import type { CompletedAttempt } from '@latchhook/core/storage';
import { onTestFinished } from 'vitest';
import { outputLine } from './output-line.ts';
import { type ProcessGroup, startProcessGroup } from './process-group.ts';

const MAIN = fileURLToPath(new URL('./delivery-worker.mjs', import.meta.url));
const WATCHED = new URL('./watched-worker.mjs', import.meta.url).href;

/** The storage of a process: see `delivery-parts.mjs`. */
export interface StorageEnvironment {
  readonly postgres?: { readonly url: string; readonly schema: string };
  readonly mysqlUrl?: string;
  readonly sqliteFile?: string;
  readonly redisUrl?: string;
}

export interface DeliveryEnvironment extends StorageEnvironment {
  readonly encryptionKey: Uint8Array;
}

type Completion = CompletedAttempt['outcome'];

/** Callbacks of a worker. Times are ms since 1970. */
export interface WorkerWatch {
  /** Called with the time at which each request began. */
  readonly onBegun?: (atMs: number) => void;
  /** Called with the number of attempts that a claim has returned. */
  readonly onClaimed?: (count: number) => void;
  /** Called with the outcomes of each call of `complete`. */
  readonly onCompleted?: (outcomes: readonly Completion[]) => void;
  /** Called at each call or connection of the worker to the store. */
  readonly onAsked?: (atMs: number) => void;
}

/** A message of `watched-worker.mjs`. */
interface WorkerMessage {
  readonly begunAtMs?: number;
  readonly claimed?: number;
  readonly completed?: readonly Completion[];
  readonly askedAtMs?: number;
}

/** Starts a worker process on the built packages, until the end of the test. */
export async function spawnDeliveryWorker(
  environment: DeliveryEnvironment,
  watch?: WorkerWatch,
): Promise<ProcessGroup> {
  const imports = watch ? ['--import', WATCHED] : [];
  const group = await startProcessGroup(process.execPath, [...imports, MAIN], {
    env: deliveryVariables(environment),
    stdio: watch ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => group.kill9());
  group.child.on('message', (message) => pass(message as WorkerMessage, watch));
  await outputLine(group.child, /ready/);
  return group;
}

function pass(
  { begunAtMs, claimed, completed, askedAtMs }: WorkerMessage,
  { onBegun, onClaimed, onCompleted, onAsked }: WorkerWatch = {},
): void {
  if (begunAtMs !== undefined) onBegun?.(begunAtMs);
  if (claimed !== undefined) onClaimed?.(claimed);
  if (completed !== undefined) onCompleted?.(completed);
  if (askedAtMs !== undefined) onAsked?.(askedAtMs);
}

/** The environment variables that `delivery-parts.mjs` reads. */
export function deliveryVariables({
  encryptionKey,
  ...environment
}: DeliveryEnvironment): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return {
    PATH,
    HOME,
    ...storageVariables(environment),
    ENCRYPTION_KEY: Buffer.from(encryptionKey).toString('base64'),
  };
}

/** Those of these variables that select the storage. */
export function storageVariables({
  postgres,
  mysqlUrl,
  sqliteFile,
  redisUrl,
}: StorageEnvironment): Record<string, string> {
  return {
    ...(postgres && { PG_URL: postgres.url, PG_SCHEMA: postgres.schema }),
    ...(mysqlUrl !== undefined && { MYSQL_URL: mysqlUrl }),
    ...(sqliteFile !== undefined && { SQLITE_FILE: sqliteFile }),
    ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
  };
}
