import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputLine } from '../apps/output-line.ts';
import { type ProcessGroup, startProcessGroup } from '../apps/process-group.ts';
import { environmentOf } from './fetch-debian-program.ts';
import { requireRedisServer } from './find-redis-server.ts';
import { startOnFreePort } from './start-on-free-port.ts';

/** Lines of a redis.conf: `{ appendonly: 'yes', appendfsync: 'always', replicaof: '127.0.0.1 6380' }`. */
export type RedisConfig = Readonly<Record<string, string>>;

export interface RedisServerOptions {
  /** Overrides the default, which persists nothing. */
  readonly config?: RedisConfig;
}

/** A real Redis on a loopback port, with a temporary folder. */
export interface RedisServer {
  readonly host: string;
  /** Unchanged by `restart`. */
  readonly port: number;
  readonly url: string;
  /** The folder of its append-only file. Unchanged by `restart`; `stop` removes it. */
  readonly folder: string;
  /** SIGKILL. Writes that the server has not passed to the kernel are lost. */
  kill9(): Promise<void>;
  /** Starts the server again on the same port and folder; kills it first if it runs. */
  restart(): Promise<void>;
  /** SIGSTOP: connections stay open, but the server does not reply. */
  pause(): void;
  /** SIGCONT, after `pause`. */
  resume(): void;
  /** Stops the server and removes its folder. May be called twice. */
  stop(): Promise<void>;
}

const host = '127.0.0.1';

/**
 * Starts a real Redis and waits until it accepts connections.
 *
 * @throws {Error} with the server's output if it does not start.
 */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'latchhook-redis-'));
  const config = { save: '', appendonly: 'no', ...options.config };
  let { port, running } = await startOnFreePort((free) => start(free, folder, config), folder);
  return {
    host,
    port,
    url: `redis://${host}:${port}`,
    folder,
    kill9: () => running.kill9(),
    restart: async () => {
      await running.kill9();
      running = await start(port, folder, config);
    },
    pause: () => running.signal('SIGSTOP'),
    resume: () => running.signal('SIGCONT'),
    stop: async () => {
      await running.kill9();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function start(port: number, folder: string, config: RedisConfig): Promise<ProcessGroup> {
  const binary = requireRedisServer();
  const group = await startProcessGroup(binary.path, ['-'], {
    cwd: folder,
    env: environmentOf(binary),
    stdio: 'pipe',
    temporaryFolder: folder,
  });
  // The configuration goes to standard input, which has the syntax of redis.conf, including quotes.
  group.child.stdin?.end(
    Object.entries({ ...config, bind: host, port: String(port), dir: folder })
      .map(([name, value]) => `${name} ${value === '' ? '""' : value}\n`)
      .join(''),
  );
  try {
    // Waits for the server's own message, so that loading an append-only file is part of the start.
    await outputLine(group.child, /Ready to accept connections/);
  } catch (error) {
    await group.kill9();
    throw error;
  }
  return group;
}
