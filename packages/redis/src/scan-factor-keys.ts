import { StorageUnavailableError } from '@latchhook/core/storage';
import type { RedisClient } from './redis-client.ts';

/** A page of keys. */
export interface ScanPage {
  /** `null`: from the beginning. */
  readonly cursor: string | null;
  /** About how many keys are wanted: SCAN may find more, or fewer. */
  readonly limit: number;
}

/** Some of the keys of factors, as scripts take them. */
export interface ScannedKeys {
  readonly keys: readonly string[];
  /** `null` at the end. */
  readonly nextCursor: string | null;
}

/**
 * Finds the keys of the factors of all users. There is no list of them: it would be in another slot than the factors,
 * and no transition could write both.
 *
 * SCAN finds every key that exists from its beginning to its end. It works on one node, so the cursor names the node
 * too; nodes are scanned in the order of their names. Do not reshard a Cluster meanwhile: that may move a key from a
 * node that is still to come to one that was scanned already.
 *
 * @throws {StorageUnavailableError} where the node of the cursor is no longer a master: begin again.
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

/** How many keys Redis looks at for each that is wanted: most are of other kinds. */
const KEYS_FOR_ONE = 10;

/** More exact than the pattern of SCAN: other keys contain names of the host's choice. */
const FACTOR = /^\{[\w-]{22}\}:factor$/;

async function mastersOf(redis: RedisClient) {
  if (!('nodes' in redis)) return [{ name: 'redis', node: redis }];
  // A Cluster knows no nodes before it has connected.
  if (redis.nodes('master').length === 0) await redis.time();
  return redis
    .nodes('master')
    .map((node) => ({ name: `${node.options.host}:${node.options.port}`, node }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
