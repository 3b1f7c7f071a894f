import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fetchRedisServer } from './fetch-redis-server.ts';

/** A `redis-server` (or `valkey-server`) that runs on this machine. */
export interface RedisServerBinary {
  readonly path: string;
  /** Folders of shared libraries that came with it; empty where the system has them all. */
  readonly libraryPath: string;
}

/**
 * Looks for a real server: `REDIS_SERVER_BIN`, then PATH.
 *
 * @returns `undefined` where there is none.
 * @throws {Error} when `REDIS_SERVER_BIN` names something that does not run.
 */
export function findRedisServer(): RedisServerBinary | undefined {
  const named = process.env['REDIS_SERVER_BIN'];
  if (named !== undefined && named !== '') {
    const binary = { path: named, libraryPath: '' };
    if (!runs(binary)) throw new Error(`REDIS_SERVER_BIN is ${named}, which does not run.`);
    return binary;
  }
  for (const name of ['redis-server', 'valkey-server']) {
    for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
      const binary = { path: join(folder, name), libraryPath: '' };
      if (isExecutable(binary.path) && runs(binary)) return binary;
    }
  }
  return undefined;
}

/**
 * Answers a real server: the one that `findRedisServer` finds, or else one from the packages of Debian or Ubuntu,
 * unpacked under `node_modules/.cache`. Nothing is installed.
 *
 * @throws {Error} that says what to install, where there is neither.
 */
export function requireRedisServer(): RedisServerBinary {
  const found = findRedisServer() ?? fetchRedisServer(runs);
  if (found !== undefined) return found;
  throw new Error(
    [
      'The tests run on a real Redis, and none was found. Do one of these:',
      '  - install it (apt-get install redis-server, apk add redis, brew install redis)',
      '  - set REDIS_SERVER_BIN to the path of a redis-server or valkey-server, 6.2 or later',
      '  - set REDIS_URL to a server that the tests may fill and flush (cluster tests are then skipped)',
    ].join('\n'),
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function runs(binary: RedisServerBinary): boolean {
  const { status } = spawnSync(binary.path, ['--version'], { env: redisEnvironment(binary) });
  return status === 0;
}

/** The environment that lets the binary find the libraries that came with it. */
export function redisEnvironment(binary: RedisServerBinary): NodeJS.ProcessEnv {
  if (binary.libraryPath === '') return process.env;
  return { ...process.env, LD_LIBRARY_PATH: binary.libraryPath };
}
