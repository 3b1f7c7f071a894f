import { StorageUnavailableError } from '@latchhook/core';
import type { RedisClient } from './redis-client.ts';

/** Which keys are asked for. */
export interface ScanPage {
  /** `null`: from the beginning. */
  readonly cursor: string | null;
  /** How many are wanted. */
  readonly limit: number;
}

/** Some of the keys of factors, as scripts take them. */
export interface ScannedKeys {
  readonly keys: readonly string[];
  /** `null`: all of them were found. */
  readonly nextCursor: string | null;
}

/**
 * Finds the keys of factors, of all users: there is no list of them, since it would be in another slot than they
 * are, and could not be kept in the same transition.
 *
 * SCAN finds what is there from its beginning to its end. It is one node's own, so a cursor names the node too;
 * nodes are walked through in the order of their names. A Cluster that is resharded meanwhile may move a key
 * from a node that is still to come to one that was walked through: do not do both at once.
 *
 * @throws StorageUnavailableError where the node of the cursor is no master any more: begin again.
 */
export async function scanFactorKeys(
  redis: RedisClient,
  keyPrefix: string,
  { cursor, limit }: ScanPage,
): Promise<ScannedKeys> {
  const masters = await mastersOf(redis);
  const [name = masters[0]?.name, position = '0'] = cursor?.split(' ') ?? [];
  const at = masters.findIndex((master) => master.name === name);
  const master = masters[at];
  if (master === undefined) {
    throw new StorageUnavailableError('A master of the cluster went while its keys were scanned.');
  }
  const clientPrefix = redis.options.keyPrefix ?? '';
  const root = `${clientPrefix}${keyPrefix}:`;
  const [next, found] = await master.node.scan(
    position,
    'MATCH',
    `${escapeGlob(root)}{*}:factor`,
    'COUNT',
    limit * KEYS_FOR_ONE,
  );
  const following = next === '0' ? masters[at + 1]?.name : master.name;
  return {
    // The client puts its prefix before every key that it is given, and takes it from none that it finds.
    keys: found
      .filter((key) => FACTOR.test(key.slice(root.length)))
      .map((key) => key.slice(clientPrefix.length)),
    nextCursor: following === undefined ? null : `${following} ${next}`,
  };
}

/** How many keys Redis is to look at for one that is wanted: most are of other kinds. */
const KEYS_FOR_ONE = 10;

/** The pattern of SCAN is not as exact: other keys have names of the host's in them. */
const FACTOR = /^\{[\w-]{22}\}:factor$/;

async function mastersOf(redis: RedisClient) {
  if (!('nodes' in redis)) return [{ name: 'redis', node: redis }];
  // A Cluster that has not connected yet knows of no nodes.
  if (redis.nodes('master').length === 0) await redis.time();
  return redis
    .nodes('master')
    .map((node) => ({ name: `${node.options.host}:${node.options.port}`, node }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
