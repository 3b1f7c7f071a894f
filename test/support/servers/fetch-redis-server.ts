import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchDebianPackages, type UnpackedPackages, unpackedPackages } from './debian-packages.ts';
import type { RedisServerBinary } from './find-redis-server.ts';

/**
 * Gets Redis from the packages of Debian or Ubuntu; the next run finds it in `node_modules/.cache/redis`.
 *
 * @param runs - whether a binary starts here; one that was unpacked before and does not start is fetched again.
 * @returns `undefined` where the machine has no apt, or apt could not get the packages.
 */
export function fetchRedisServer(
  runs: (binary: RedisServerBinary) => boolean,
): RedisServerBinary | undefined {
  const kept = serverIn(unpackedPackages('redis'));
  if (kept !== undefined && runs(kept)) return kept;
  const fetched = serverIn(fetchDebianPackages('redis', ['redis-server', 'redis-tools']));
  return fetched !== undefined && runs(fetched) ? fetched : undefined;
}

function serverIn(unpacked: UnpackedPackages | undefined): RedisServerBinary | undefined {
  if (unpacked === undefined) return undefined;
  const path = join(unpacked.root, 'usr/bin/redis-server');
  return existsSync(path) ? { path, libraryPath: unpacked.libraryPath } : undefined;
}
