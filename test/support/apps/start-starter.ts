import { onTestFinished } from 'vitest';
import { freePort } from '../servers/free-port.ts';
import { type RedisConfig, type RedisServer, startRedisServer } from '../servers/redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../servers/tcp-proxy.ts';
import { type AppClient, connectApp } from './app-client.ts';
import { type SpawnedApp, spawnApp } from './spawn-app.ts';
import { ISSUER, startApp } from './start-app.ts';

export type StarterName = 'express-starter' | 'koa-starter';

export interface StarterOptions {
  readonly redisConfig?: RedisConfig;
  readonly env?: Readonly<Record<string, string>>;
}

/** A starter app on a real Redis, with a proxy between them that can cause network faults. */
export interface RunningStarter {
  readonly redis: RedisServer;
  readonly proxy: TcpProxy;
  readonly client: AppClient;
  /** The process that is running now. */
  app(): SpawnedApp;
  /** Kills the app if it runs, and starts it at the same address. */
  restart(): Promise<void>;
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

  const port = await freePort();
  const start = () =>
    spawnApp(name, {
      env: { PORT: String(port), ISSUER, REDIS_URL: proxy.url, ...env },
    });
  let app = await start();
  onTestFinished(() => app.kill9());
  const client = connectApp(`http://127.0.0.1:${port}`);
  onTestFinished(() => client.close());
  return {
    redis,
    proxy,
    client,
    app: () => app,
    restart: async () => {
      await app.kill9();
      app = await start();
    },
    startSecond: async (second) => {
      const another = await startApp(second, { ISSUER, REDIS_URL: redis.url, ...env });
      return another.client;
    },
  };
}
