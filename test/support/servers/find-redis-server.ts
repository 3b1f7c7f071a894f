import { spawnSync } from 'node:child_process';
import { environmentOf, fetchDebianProgram, type ProgramBinary } from './fetch-debian-program.ts';
import { programsOnPath } from './programs-on-path.ts';

/** A `redis-server` (or `valkey-server`) that runs on this machine. */
export type RedisServerBinary = ProgramBinary;

const PACKAGED = {
  name: 'redis',
  packages: ['redis-server', 'redis-tools'],
  path: 'usr/bin/redis-server',
};

/**
 * Looks for a real server: `REDIS_SERVER_BIN`, then PATH.
 *
 * @returns `undefined` if there is none.
 * @throws {Error} if `REDIS_SERVER_BIN` does not run.
 */
export function findRedisServer(): RedisServerBinary | undefined {
  const named = process.env['REDIS_SERVER_BIN'];
  if (named !== undefined && named !== '') {
    const binary = { path: named, libraryPath: '' };
    if (!runs(binary)) throw new Error(`REDIS_SERVER_BIN is ${named}, which does not run.`);
    return binary;
  }
  return programsOnPath(['redis-server', 'valkey-server'])
    .map((path) => ({ path, libraryPath: '' }))
    .find(runs);
}

/**
 * Returns the server that `findRedisServer` finds, or else one from the packages of Debian or Ubuntu, unpacked under
 * `node_modules/.cache`. Nothing is installed.
 *
 * @throws {Error} that says what to install, if there is neither.
 */
export function requireRedisServer(): RedisServerBinary {
  const binary = findRedisServer() ?? fetchDebianProgram(PACKAGED, runs);
  if (binary !== undefined) return binary;
  throw new Error(
    [
      'The tests run on a real Redis, and none was found. Do one of these:',
      '  - install it (apt-get install redis-server, apk add redis, brew install redis)',
      '  - set REDIS_SERVER_BIN to the path of a redis-server or valkey-server, 6.2 or later',
      '  - set REDIS_URL to a server that the tests may fill and flush (cluster tests are then skipped)',
    ].join('\n'),
  );
}

function runs(binary: RedisServerBinary): boolean {
  const { status } = spawnSync(binary.path, ['--version'], { env: environmentOf(binary) });
  return status === 0;
}
