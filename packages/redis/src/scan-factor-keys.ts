import { StorageUnavailableError } from '@latchhook/core/storage';
import type { RedisClient } from './redis-client.ts';

/** How many keys Redis scans for each key of the limit because most keys are of other kinds. */
const SCANNED_PER_FACTOR = 10;

/** More exact than the pattern of SCAN, which may match other keys with names that the host chooses. */
const FACTOR_KEY = /^\{[\w-]{22}\}:factor$/;

/** A page of keys. */
export interface ScanPage {
  /** `null`: from the beginning. */
  readonly cursor: string | null;
  /** About how many keys to return: SCAN may return more or fewer. */
  readonly limit: number;
}

/** Some of the keys of factors, without the prefix of the client: in this form they are passed to scripts. */
export interface ScannedKeys {
  readonly keys: readonly string[];
  /** `null` at the end. */
  readonly nextCursor: string | null;
}

/**
 * Finds the keys of the factors of all users. The keys have no index: an index would be in another slot than the
 * factors, and no script could write both.
 *
 * SCAN finds every key that exists for the whole duration of the scan. It runs on one node, so the cursor has the name
 * of the node and the cursor of SCAN: `10.0.0.1:6379 42`. Nodes are scanned in the order of their names. Do not reshard
 * a Cluster during a scan: that may move a key from a node that has not been scanned to a node that has.
 *
 * @throws {StorageUnavailableError} if the node of the cursor is no longer a master; start again from the beginning.
 */
export async function scanFactorKeys(
  redis: RedisClient,
  keyPrefix: string,
  { cursor, limit }: ScanPage,
): Promise<ScannedKeys> {
  const masters = await mastersOf(redis);
  const [name = masters[0]?.name, position = '0'] = cursor?.split(' ') ?? [];
  const index = masters.findIndex((master) => master.name === name);
  const master = masters[index];
  if (master === undefined) {
    throw new StorageUnavailableError('A master of the cluster went while its keys were scanned.');
  }
  const clientPrefix = redis.options.keyPrefix ?? '';
  const root = `${clientPrefix}${keyPrefix}:`;
  const [nextPosition, scannedKeys] = await master.node.scan(
    position,
    'MATCH',
    `${escapeGlob(root)}{*}:factor`,
    'COUNT',
    limit * SCANNED_PER_FACTOR,
  );
  const nextName = nextPosition === '0' ? masters[index + 1]?.name : master.name;
  return {
    // The client adds its prefix to every key that it sends, but does not remove the prefix from the keys of SCAN.
    keys: scannedKeys
      .filter((key) => FACTOR_KEY.test(key.slice(root.length)))
      .map((key) => key.slice(clientPrefix.length)),
    nextCursor: nextName === undefined ? null : `${nextName} ${nextPosition}`,
  };
}

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
