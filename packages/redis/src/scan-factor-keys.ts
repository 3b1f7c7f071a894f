import { StorageUnavailableError } from '@latchhook/core/storage';
import type { RedisClient } from './redis-client.ts';

/** A page of keys. */
export interface ScanPage {
  /** `null`: from the beginning. */
  readonly cursor: string | null;
  /** About how many keys to return: SCAN may find more, or fewer. */
  readonly limit: number;
}

/** Some of the keys of factors, without the prefix of the client, as they are passed to scripts. */
export interface ScannedKeys {
  readonly keys: readonly string[];
  /** `null` at the end. */
  readonly nextCursor: string | null;
}

/**
 * Finds the keys of the factors of all users. There is no index of them: it would be in another slot than the factors,
 * and no script could write both.
 *
 * SCAN finds every key that exists for the whole duration of the scan. It runs on one node, so the cursor names the
 * node too; nodes are scanned in the order of their names. Do not reshard a Cluster meanwhile: that may move a key from
 * a node that is not yet scanned to one that already is.
 *
 * @throws {StorageUnavailableError} where the node of the cursor is no longer a master; start again from the beginning.
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
    // The client adds its prefix to every key that it is given, but does not remove it from those that SCAN finds.
    keys: found
      .filter((key) => FACTOR.test(key.slice(root.length)))
      .map((key) => key.slice(clientPrefix.length)),
    nextCursor: following === undefined ? null : `${following} ${next}`,
  };
}

/** How many keys Redis scans for each key of the limit, as most are of other kinds. */
const KEYS_FOR_ONE = 10;

/** More exact than the pattern of SCAN, as other keys contain names that the host chooses. */
const FACTOR = /^\{[\w-]{22}\}:factor$/;

async function mastersOf(redis: RedisClient) {
  if (!('nodes' in redis)) return [{ name: 'redis', node: redis }];
  // A Cluster client knows no nodes before it has connected.
  if (redis.nodes('master').length === 0) await redis.time();
  return redis
    .nodes('master')
    .map((node) => ({ name: `${node.options.host}:${node.options.port}`, node }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
