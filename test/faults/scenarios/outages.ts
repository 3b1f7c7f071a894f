import { Redis } from 'ioredis';
import type { ProxiedApp, RunningStarter } from '../../support/apps/start-starter.ts';
import type { RedisServer } from '../../support/servers/redis-server.ts';

/** A failure of the store of an app, or of the network to it, and its end. */
export interface Outage<App = RunningStarter> {
  readonly name: string;
  /** Begins the outage; resolves to a function that ends it, and resolves when the store can reply again. */
  begin(app: App): Promise<() => Promise<void>>;
  /** Whether an app still sees during the outage which sessions are live, and can end one. */
  readonly answersReads: boolean;
}

export const BLACK_HOLE: Outage<ProxiedApp> = {
  name: 'black-holed',
  begin: async ({ proxy }) => {
    await proxy.blackhole();
    return () => proxy.pass();
  },
  answersReads: false,
};

export const LOST_REPLIES: Outage<ProxiedApp> = {
  name: 'reachable, but its replies are lost',
  begin: async ({ proxy }) => {
    await proxy.dropReplies();
    return () => proxy.pass();
  },
  answersReads: false,
};

export const REJECTED: Outage<ProxiedApp> = {
  name: 'unreachable, with connections reset and rejected',
  begin: async ({ proxy }) => {
    await proxy.reject();
    return () => proxy.pass();
  },
  answersReads: false,
};

const READ_ONLY: Outage = {
  name: 'a read-only replica',
  begin: async ({ redis }) => {
    // A replica of a master that does not exist keeps its data.
    await command(redis, (client) => client.replicaof('127.0.0.1', 1));
    return () => command(redis, (client) => client.replicaof('NO', 'ONE'));
  },
  // A replica may be a demoted master, which does not have later revocations: it is not asked.
  answersReads: false,
};

const FULL: Outage = {
  name: 'out of memory',
  begin: async ({ redis }) => {
    await command(redis, (client) => client.config('SET', 'maxmemory', '1'));
    return () => command(redis, (client) => client.config('SET', 'maxmemory', '0'));
  },
  answersReads: true,
};

const STOPPED: Outage = {
  name: 'stopped (SIGSTOP)',
  begin: async ({ redis }) => {
    redis.pause();
    return async () => redis.resume();
  },
  answersReads: false,
};

const GONE: Outage = {
  name: 'gone (kill -9)',
  begin: async ({ redis }) => {
    await redis.kill9();
    return () => redis.restart();
  },
  answersReads: false,
};

const FILLERS = 100_000;

/**
 * Uses `key-load-delay`, a setting for tests of Redis, which delays the loading of each key. The outage ends long
 * before the time that Redis predicts, on which a client must not rely.
 */
const LOADING: Outage = {
  name: 'loading its data',
  begin: async ({ redis }) => {
    await command(redis, async (client) => {
      const fillers = client.pipeline();
      for (let index = 0; index < FILLERS; index += 1) fillers.set(`filler:${index}`, '', 'EX', 60);
      await fillers.exec();
    });
    const restarted = redis.restart();
    return async () => {
      await command(redis, (client) => client.config('SET', 'key-load-delay', '0'));
      await restarted;
    };
  },
  answersReads: false,
};

/** For `LOADING`: loading takes 100,000 * 200 us, longer than any test lasts. */
export const OUTAGE_REDIS_CONFIG = {
  appendonly: 'yes',
  appendfsync: 'everysec',
  'key-load-delay': '200',
};

export const OUTAGES: readonly Outage[] = [
  BLACK_HOLE,
  LOST_REPLIES,
  REJECTED,
  STOPPED,
  GONE,
  LOADING,
  READ_ONLY,
  FULL,
];

async function command(
  { url }: RedisServer,
  run: (client: Redis) => Promise<unknown>,
): Promise<void> {
  // Without a ready check, which would wait for the end of loading.
  const client = new Redis(url, { enableReadyCheck: false });
  try {
    await run(client);
  } finally {
    client.disconnect();
  }
}
