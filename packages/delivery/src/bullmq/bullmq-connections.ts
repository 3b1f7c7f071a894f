import type { Cluster, Redis, RedisOptions } from 'ioredis';

/** What a connection is made with: the options of ioredis. */
export type BullmqConnectionOptions = Omit<RedisOptions, 'replyMapping'>;

/** The host's own client, standalone or Cluster, or the options to make one by. */
export type BullmqConnection = Redis | Cluster | BullmqConnectionOptions;

/** The longest pause between two tries to connect, ms. */
export const MAX_RECONNECT_DELAY_MS = 2_000;

/**
 * The shortest time between two reconnects that the host's own `reconnectOnError` asks for, ms, over one connection and
 * the duplicates that BullMQ makes of it.
 */
const MIN_RECONNECT_GAP_MS = 500;

/** How a connection of ours copes with an outage of Redis. */
export interface OutageRules {
  /** `null` for workers, whose work outlasts an outage. For publishing a number: a caller waits for the answer. */
  readonly maxRetriesPerRequest: number | null;
  /**
   * How long a connection that owes an answer may stay silent, ms, before it is replaced: a failover or a firewall
   * may have silenced it for good. Longer than any of its commands blocks.
   */
  readonly silenceMs: number;
  /** `false` once the queue closes: callers that wait for Redis are refused, and the process can end. */
  readonly mayReconnect: () => boolean;
}

/**
 * What BullMQ needs of a connection, whatever the host has chosen for its own. BullMQ prefixes keys itself and refuses
 * a client that does; it reads replies in their old form, with numbers as numbers; its workers block for seconds, for
 * which a timeout of commands would be too short; and its commands have to wait while a connection comes back.
 */
const overrides = {
  keyPrefix: '',
  replyMapping: 'legacy',
  commandTimeout: undefined,
  enableOfflineQueue: true,
  stringNumbers: false,
};

/** The host's own prefix, which keeps its keys apart from those of others on the same Redis. */
export function keyPrefixOf(connection: BullmqConnection): string {
  const { keyPrefix = '' } = isClient(connection) ? connection.options : connection;
  return keyPrefix;
}

/** Opens a connection of our own to the same Redis, which BullMQ duplicates as it is. The host's is left alone. */
export async function openConnection(
  connection: BullmqConnection,
  { maxRetriesPerRequest, silenceMs: socketTimeout, mayReconnect }: OutageRules,
): Promise<Redis | Cluster> {
  const retryStrategy = (attempt: number): number | null =>
    mayReconnect() ? Math.min(attempt * 100, MAX_RECONNECT_DELAY_MS) : null;
  const hosts = optionsOf(connection);
  // Typed as `object`: only `undefined` switches a timeout off, and the types of ioredis do not allow it.
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
  // A Cluster keeps these as options of its own beside those of its nodes, and goes by its own.
  const { keyPrefix, enableOfflineQueue } = overrides;
  const itsOwn = { keyPrefix, enableOfflineQueue, clusterRetryStrategy: retryStrategy };
  return connection.duplicate([], { ...itsOwn, redisOptions });
}

/** Calls `callback` with each duplicate that BullMQ makes of this connection, for its blocking commands. */
export function onDuplicate(
  connection: Redis | Cluster,
  callback: (duplicate: Redis | Cluster) => void,
): void {
  const duplicate: (...given: never[]) => Redis | Cluster = connection.duplicate.bind(connection);
  Object.assign(connection, {
    duplicate(...given: never[]) {
      const made = duplicate(...given);
      callback(made);
      return made;
    },
  });
}

type ReconnectRule = (error: Error) => boolean | 1 | 2;

/**
 * The host's rule, applied now and then, and never with the refused commands sent again. After a failover one reconnect
 * leads to the new master; but on a server that stays a replica, refused commands would pile up, thousands a second.
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
