import type { Cluster, Redis, RedisOptions } from 'ioredis';

/** What a connection is made by: the options of ioredis. */
export type BullmqConnectionOptions = Omit<RedisOptions, 'replyMapping'>;

/** The host's own client, standalone or Cluster, or the options to make one by. */
export type BullmqConnection = Redis | Cluster | BullmqConnectionOptions;

/** Between two tries to connect, at most, ms. */
export const MAX_RECONNECT_DELAY_MS = 2_000;

/**
 * Between two connections given up for an answer that the host's own rule takes for a reason to, at least, ms. Of one that
 * was opened and those that BullMQ makes of it together.
 */
const MIN_RECONNECT_GAP_MS = 500;

/** How a connection of ours bears that Redis is away. */
export interface OutageRules {
  /** `null` for workers: what they have under way outlasts an outage. Of publishing, a caller waits for the end. */
  readonly maxRetriesPerRequest: number | null;
  /**
   * How long one that has been asked may say nothing, ms, before it is given up for a new one: a failover, or a firewall,
   * may have silenced it for good. Longer than any of its calls blocks.
   */
  readonly silenceMs: number;
  /** Where not, whoever waits for Redis is told that it is away, and nothing keeps the process alive. */
  readonly mayReconnect: () => boolean;
}

/**
 * What a connection of BullMQ's needs, whatever the host's own has. BullMQ prefixes keys itself and refuses a
 * client that does, and reads replies in their old form, with numbers as numbers; its workers block for seconds, which
 * no timeout of commands bears; and who waits for Redis must neither have given up nor sit out a pause that has grown to
 * minutes.
 */
const overrides = {
  keyPrefix: '',
  replyMapping: 'legacy',
  commandTimeout: undefined,
  enableOfflineQueue: true,
  stringNumbers: false,
};

/** What keeps the keys of this host apart from those of others on the same Redis. */
export function keyPrefixOf(connection: BullmqConnection): string {
  const { keyPrefix = '' } = isClient(connection) ? connection.options : connection;
  return keyPrefix;
}

/** A connection of our own to the same Redis, as are those that BullMQ makes after it. The host's is left as it is. */
export async function openConnection(
  connection: BullmqConnection,
  { maxRetriesPerRequest, silenceMs: socketTimeout, mayReconnect }: OutageRules,
): Promise<Redis | Cluster> {
  const retryStrategy = (attempt: number): number | null =>
    mayReconnect() ? Math.min(attempt * 100, MAX_RECONNECT_DELAY_MS) : null;
  const hosts = optionsOf(connection);
  // Undefined is a value to ioredis, and the only one that switches a timeout off; its types know no such.
  const chosen: object = {
    ...overrides,
    ...(hosts.reconnectOnError && { reconnectOnError: nowAndThen(hosts.reconnectOnError) }),
    maxRetriesPerRequest,
    socketTimeout,
    retryStrategy,
  };
  if (!isClient(connection)) {
    const { Redis } = await import('ioredis');
    const options: BullmqConnectionOptions = { ...connection, ...chosen };
    return new Redis(options);
  }
  if (!isCluster(connection)) return connection.duplicate(chosen);
  const redisOptions: object = { ...hosts, ...chosen };
  // A Cluster has copied these two from there, and goes by its own.
  const { keyPrefix, enableOfflineQueue } = overrides;
  const itsOwn = { keyPrefix, enableOfflineQueue, clusterRetryStrategy: retryStrategy };
  return connection.duplicate([], { ...itsOwn, redisOptions });
}

/** Tells of each connection that BullMQ makes of this one, for its blocking calls. */
export function onDuplicate(
  connection: Redis | Cluster,
  tell: (duplicate: Redis | Cluster) => void,
): void {
  const duplicate: (...given: never[]) => Redis | Cluster = connection.duplicate.bind(connection);
  Object.assign(connection, {
    duplicate(...given: never[]) {
      const made = duplicate(...given);
      tell(made);
      return made;
    },
  });
}

type ReconnectRule = (error: Error) => boolean | 1 | 2;

/**
 * After a failover a connection that is told of a replica is given up for one to the new master. Not for each refusal, and
 * no command is sent again by the new one: of a server that stays a replica the refused would pile up, thousands a second.
 */
function nowAndThen(rule: ReconnectRule): ReconnectRule {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    const nowMs = performance.now();
    if (nowMs - lastMs < MIN_RECONNECT_GAP_MS || !rule(error)) return false;
    lastMs = nowMs;
    return 1;
  };
}

function optionsOf(connection: BullmqConnection): BullmqConnectionOptions {
  if (!isClient(connection)) return connection;
  return isCluster(connection) ? (connection.options.redisOptions ?? {}) : connection.options;
}

function isClient(connection: BullmqConnection): connection is Redis | Cluster {
  return 'duplicate' in connection && typeof connection.duplicate === 'function';
}

function isCluster(client: Redis | Cluster): client is Cluster {
  return client.isCluster;
}
