import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputLine } from '../apps/output-line.ts';
import { type ProcessGroup, startProcessGroup } from '../apps/process-group.ts';
import { environmentOf } from './fetch-debian-program.ts';
import { requireRedisServer } from './find-redis-server.ts';
import { freePort } from './free-port.ts';

/** Lines of a redis.conf: `{ appendonly: 'yes', appendfsync: 'always', replicaof: '127.0.0.1 6380' }`. */
export type RedisConfig = Readonly<Record<string, string>>;

export interface RedisServerOptions {
  /** Overrides the default, which keeps nothing on disk. */
  readonly config?: RedisConfig;
}

/** A real Redis on a loopback port and in a temporary folder of its own. */
export interface RedisServer {
  readonly host: string;
  /** Stays the same over `restart`. */
  readonly port: number;
  readonly url: string;
  /** The folder of its append-only file. Stays the same over `restart`; `stop` removes it. */
  readonly folder: string;
  /** SIGKILL, as the kernel does when memory runs out. What was not yet handed to the kernel is lost. */
  kill9(): Promise<void>;
  /** Starts it again on the same port and folder, after `kill9` or instead of it. */
  restart(): Promise<void>;
  /** SIGSTOP: connections stay open, nothing answers. */
  pause(): void;
  /** SIGCONT, after `pause`. */
  resume(): void;
  /** Ends it for good and removes its folder. May be called twice. */
  stop(): Promise<void>;
}

const host = '127.0.0.1';
const portAttempts = 5;

/**
 * Starts a real Redis and waits until it accepts connections.
 *
 * @throws {Error} with the server's own output when it does not come up.
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

/**
 * Another process may take a free port before the server does: then it tries the next one.
 *
 * @param folder - of the server; removed if it does not start.
 */
export async function startOnFreePort(
  startAt: (port: number) => Promise<ProcessGroup>,
  folder: string,
): Promise<{ port: number; running: ProcessGroup }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return { port, running: await startAt(port) };
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('Address already in use');
      if (isTaken && attempt < portAttempts) continue;
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }
}

async function start(port: number, folder: string, config: RedisConfig): Promise<ProcessGroup> {
  const binary = requireRedisServer();
  const group = await startProcessGroup(binary.path, ['-'], {
    cwd: folder,
    env: environmentOf(binary),
    stdio: 'pipe',
    temporaryFolder: folder,
  });
  // On its standard input, not as arguments: the syntax is that of redis.conf, including quotes.
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
