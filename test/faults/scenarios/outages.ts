import { Redis } from 'ioredis';
import type { RunningStarter } from '../../support/apps/start-starter.ts';
import type { RedisServer } from '../../support/servers/redis-server.ts';

/** A way in which Redis, or the way to it, fails and comes back. */
export interface Outage {
  readonly name: string;
  /** Resolves when it is in force, to a function that ends it; that resolves when Redis can answer again. */
  begin(starter: RunningStarter): Promise<() => Promise<void>>;
  /**
   * Whether Redis answers reads while it lasts. Then an app sees whether a session lives, and if only memory is short
   * it can end one for good.
   */
  readonly answersReads: boolean;
}

export const BLACK_HOLE: Outage = {
  name: 'black-holed',
  begin: async ({ proxy }) => {
    await proxy.blackhole();
    return () => proxy.pass();
  },
  answersReads: false,
};

export const LOST_REPLIES: Outage = {
  name: 'heard, but its replies lost',
  begin: async ({ proxy }) => {
    await proxy.dropReplies();
    return () => proxy.pass();
  },
  answersReads: false,
};

const REJECTED: Outage = {
  name: 'reset and rejected',
  begin: async ({ proxy }) => {
    await proxy.reject();
    return () => proxy.pass();
  },
  answersReads: false,
};

const READ_ONLY: Outage = {
  name: 'a read-only replica',
  begin: async ({ redis }) => {
    // A replica of a master that does not exist: it goes on with the data that it has.
    await command(redis, (client) => client.replicaof('127.0.0.1', 1));
    return () => command(redis, (client) => client.replicaof('NO', 'ONE'));
  },
  answersReads: true,
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
 * Uses a setting of Redis' own tests: it waits for a while with each key that it loads. It ends long before the time
 * that Redis predicts, on which a client must not rely.
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

/** For `LOADING`: to load takes 100,000 * 200 us, longer than any test lasts. */
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
