import { type Clock, ConfigError } from '@latchhook/core';
import {
  assertNames,
  boundedInteger,
  CallDeadline,
  type NamesOf,
  ofOneStore,
  type Storage,
  uncheckedFields,
} from '@latchhook/core/storage';
import { DataLossDetector } from './data-loss-detector.ts';
import { Keyspace } from './keyspace.ts';
import { personalAccessTokenKeys } from './personal-access-token-keyspace.ts';
import { redisChallenges } from './redis-challenges.ts';
import type { RedisClient } from './redis-client.ts';
import { redisDeliveries } from './redis-deliveries.ts';
import { redisLimiters } from './redis-limiters.ts';
import { redisMfa } from './redis-mfa.ts';
import { redisPersonalAccessTokens } from './redis-personal-access-tokens.ts';
import { redisSessions } from './redis-sessions.ts';
import { redisStartup } from './redis-startup.ts';
import { redisWebhooks } from './redis-webhooks.ts';
import { scanFactorKeys } from './scan-factor-keys.ts';
import { createScriptCaller } from './script-caller.ts';
import { createUnlessEnrolled } from './scripts/sessions/create-session.ts';
import { startupKeys } from './startup-keyspace.ts';
import { rejectUnavailable } from './storage-unavailable.ts';
import { warnOfEviction } from './warn-of-eviction.ts';
import { webhookPartitions } from './webhook-keyspace.ts';

/** How {@link redisStorage} uses Redis. Every option has a default. */
export interface RedisStorageOptions {
  /** The prefix of every key. It has no braces, which mark hash tags in Redis Cluster. Default: `latchhook`. */
  readonly keyPrefix?: string;
  /** How long a call waits for Redis, ms. Default: 1000. */
  readonly deadlineMs?: number;
  /**
   * The number of hash slots over which accounts are spread with their webhooks and deliveries. Each account has one
   * slot. All processes need the same number, which cannot be changed later: `auth.ready()` rejects another number.
   * Default: 16 on a Cluster, which spreads them over its nodes; else 1.
   */
  readonly partitions?: number;
  /** Replaces the time for everything but limiters, in tests. Default: the clock of Redis. */
  readonly clock?: Clock;
}

const NAMES: NamesOf<RedisStorageOptions> = {
  keyPrefix: true,
  deadlineMs: true,
  partitions: true,
  clock: true,
};

const CLUSTER_PARTITIONS = 16;
const MAX_PARTITIONS = 256;

/**
 * Stores everything in Redis or Redis Cluster.
 *
 * Atomicity: every transition is one Lua script. All keys of a user are in one hash slot, all personal access tokens in
 * another, all counters of one key in a third, and the webhooks and deliveries of an account in the slot of its
 * partition.
 *
 * Concurrency: any number of processes may share one Redis; time is the time of Redis.
 *
 * Expiry: every key has a time to live, except those of webhooks and second factors, which last until they are removed.
 *
 * Security: Redis holds no token and nothing from which one could be derived, and secrets only encrypted. It does hold
 * user ids, addresses and user agents of logins, and the bodies of webhook messages.
 *
 * @param redis - the host's own client; it is neither changed nor closed.
 * @returns a storage with every part, so that single parts can be combined with those of another storage.
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`, `redis_key_prefix_invalid`
 * @example
 * ```ts
 * import { createAuth, type UserStore } from '@latchhook/core';
 * import { redisStorage } from '@latchhook/redis';
 * import { Redis } from 'ioredis';
 *
 * declare const users: UserStore;
 * const storage = redisStorage(new Redis('redis://localhost:6379'));
 * const auth = createAuth({ issuer: 'https://api.example.com', users, storage });
 * ```
 */
export function redisStorage(
  redis: RedisClient,
  options: RedisStorageOptions = {},
): Required<Storage> {
  assertClient(redis);
  assertNames('redisStorage', 'options_invalid', options, NAMES);
  const { keyPrefix = 'latchhook', clock } = options;
  if (typeof keyPrefix !== 'string' || !/^[^{}]+$/.test(keyPrefix)) {
    throw new ConfigError(
      'redis_key_prefix_invalid',
      'redisStorage.keyPrefix must be a string without braces that is not empty, such as latchhook',
    );
  }
  const deadlineMs = boundedInteger('redisStorage.deadlineMs', options.deadlineMs, 1_000, [1]);
  const newDeadline = () => new CallDeadline('Redis', deadlineMs);
  const dataLossDetector = new DataLossDetector(redis, keyPrefix);
  let hasReplied = false;
  const call = createScriptCaller(redis, {
    newDeadline,
    clock,
    dataLossDetector,
    onFirstReply: () => {
      if (hasReplied) return;
      hasReplied = true;
      void warnOfEviction(redis);
      void dataLossDetector.check();
    },
  });
  const deps = {
    call,
    newDeadline,
    keyspace: new Keyspace(keyPrefix),
    tokenKeys: personalAccessTokenKeys(keyPrefix),
    partitions: webhookPartitions(keyPrefix, partitionCount(redis, options)),
    startupKeys: startupKeys(keyPrefix),
  };
  const sessions = redisSessions(deps);
  const mfa = redisMfa(deps, (page) =>
    newDeadline().bound(scanFactorKeys(redis, keyPrefix, page).catch(rejectUnavailable)),
  );
  return ofOneStore(
    {
      name: 'redis',
      startup: redisStartup(redis, keyPrefix, deps),
      loginTransition: {
        replaces: { create: sessions.create, find: mfa.find },
        createUnlessEnrolled: createUnlessEnrolled(deps),
      },
    },
    {
      name: 'redis',
      sessions,
      challenges: redisChallenges(deps),
      limiters: redisLimiters({ keyPrefix, call }),
      webhooks: redisWebhooks(deps),
      deliveries: redisDeliveries(redis, deps),
      personalAccessTokens: redisPersonalAccessTokens(deps),
      mfa,
    },
  );
}

function partitionCount(redis: RedisClient, { partitions }: RedisStorageOptions): number {
  const standard = 'nodes' in redis ? CLUSTER_PARTITIONS : 1;
  return boundedInteger('redisStorage.partitions', partitions, standard, [1, MAX_PARTITIONS]);
}

/** Callers may pass nothing, a URL or the options of a client by mistake. */
function assertClient(redis: unknown): void {
  const { evalsha } = uncheckedFields<RedisClient>(redis);
  if (typeof evalsha === 'function') return;
  throw new ConfigError(
    'options_invalid',
    "redisStorage needs an ioredis client: redisStorage(new Redis('redis://localhost:6379'))",
  );
}
