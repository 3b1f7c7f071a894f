import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { freePort } from '../servers/free-port.ts';
import { type RedisConfig, type RedisServer, startRedisServer } from '../servers/redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../servers/tcp-proxy.ts';
import { type AppClient, connectApp } from './app-client.ts';
import { type SpawnedApp, spawnApp, spawnProgram } from './spawn-app.ts';
import { type StorageEnvironment, storageVariables } from './spawn-delivery-worker.ts';
import { ISSUER, startApp } from './start-app.ts';

const ENGINE_STARTER = fileURLToPath(new URL('./engine-starter.mjs', import.meta.url));

export type StarterName = 'express-starter' | 'koa-starter';

export interface StarterOptions {
  readonly redisConfig?: RedisConfig;
  readonly env?: Readonly<Record<string, string>>;
}

/** An app that can be killed and restarted. */
export interface RestartableApp {
  readonly client: AppClient;
  /** The process that is running now. */
  app(): SpawnedApp;
  /** Kills the app if it runs, and starts it at the same address. */
  restart(): Promise<void>;
}

/** An app with a proxy between it and its store that can cause network faults. */
export interface ProxiedApp extends RestartableApp {
  readonly proxy: TcpProxy;
}

/** A starter app on a real Redis. */
export interface RunningStarter extends ProxiedApp {
  readonly redis: RedisServer;
  /** Starts another process on the same Redis, with its own connection to it. */
  startSecond(name: StarterName): Promise<AppClient>;
}

/** Starts Redis, proxy and app, until the end of the test. */
export async function startStarter(
  name: StarterName,
  { redisConfig = {}, env = {} }: StarterOptions = {},
): Promise<RunningStarter> {
  const redis = await startRedisServer({ config: redisConfig });
  onTestFinished(() => redis.stop());
  const proxy = await startTcpProxy(redis.url);
  onTestFinished(() => proxy.stop());

  const running = await startRestartable((address) =>
    spawnApp(name, { env: { ...address, REDIS_URL: proxy.url, ...env } }),
  );
  return {
    ...running,
    redis,
    proxy,
    startSecond: async (second) => {
      const another = await startApp(second, { ISSUER, REDIS_URL: redis.url, ...env });
      return another.client;
    },
  };
}

/** Starts the test's starter on the storage of the environment, until the end of the test. */
export function startEngineStarter(environment: StorageEnvironment): Promise<RestartableApp> {
  return startRestartable((address) =>
    spawnProgram(ENGINE_STARTER, { env: { ...address, ...storageVariables(environment) } }),
  );
}

async function startRestartable(
  spawn: (address: Readonly<Record<string, string>>) => Promise<SpawnedApp>,
): Promise<RestartableApp> {
  const port = await freePort();
  const start = () => spawn({ PORT: String(port), ISSUER });
  let app = await start();
  onTestFinished(() => app.kill9());
  const client = connectApp(`http://127.0.0.1:${port}`);
  onTestFinished(() => client.close());
  return {
    client,
    app: () => app,
    restart: async () => {
      await app.kill9();
      app = await start();
    },
  };
}
