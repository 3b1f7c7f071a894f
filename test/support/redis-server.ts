import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisEnvironment, requireRedisServer } from './find-redis-server.ts';
import { freePort } from './free-port.ts';
import { type Reaper, startReaper } from './reaper.ts';

/** Lines of a redis.conf: `{ appendonly: 'yes', appendfsync: 'always', replicaof: '127.0.0.1 6380' }`. */
export type RedisConfig = Readonly<Record<string, string>>;

export interface RedisServerOptions {
  /** On top of the default, which keeps nothing on disk. */
  readonly config?: RedisConfig;
}

/** A real Redis on a loopback port and in a temporary folder of its own. */
export interface RedisServer {
  readonly host: string;
  /** Stays the same over `restart`. */
  readonly port: number;
  readonly url: string;
  /** Where it keeps its append-only file. Stays the same over `restart`; `stop` removes it. */
  readonly folder: string;
  /** SIGKILL, as the kernel does when memory runs out. What was not yet on disk is lost. */
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

interface Running {
  readonly child: ChildProcess;
  readonly reaper: Reaper;
}

const host = '127.0.0.1';
const startTimeoutMs = 10_000;
const portAttempts = 5;

/**
 * Starts a real Redis and waits until it accepts connections.
 *
 * @throws Error with the server's own output when it does not come up.
 */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'latchhook-redis-'));
  const config = { save: '', appendonly: 'no', ...options.config };
  const { port, running } = await startOnFreePort(folder, config);
  let current: Running | undefined = running;

  async function kill9(): Promise<void> {
    if (current === undefined) return;
    const { child, reaper } = current;
    current = undefined;
    reaper.dismiss();
    await kill(child);
  }

  return {
    host,
    port,
    url: `redis://${host}:${port}`,
    folder,
    kill9,
    restart: async () => {
      await kill9();
      current = await start(port, folder, config);
    },
    pause: () => void current?.child.kill('SIGSTOP'),
    resume: () => void current?.child.kill('SIGCONT'),
    stop: async () => {
      await kill9();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Between finding a free port and binding it another process may take it: then the next one. */
async function startOnFreePort(
  folder: string,
  config: RedisConfig,
): Promise<{ port: number; running: Running }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return { port, running: await start(port, folder, config) };
    } catch (error) {
      const taken = error instanceof Error && error.message.includes('Address already in use');
      if (taken && attempt < portAttempts) continue;
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }
}

async function start(port: number, folder: string, config: RedisConfig): Promise<Running> {
  const binary = requireRedisServer();
  const settings = { ...config, bind: host, port: String(port), dir: folder };
  // On its standard input, not as arguments: the syntax is that of redis.conf, quotes and all.
  const child = spawn(binary.path, ['-'], {
    cwd: folder,
    env: redisEnvironment(binary),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value === '' ? '""' : value}\n`)
      .join(''),
  );
  try {
    await readiness(child);
  } catch (error) {
    await kill(child);
    throw error;
  }
  if (child.pid === undefined) throw new Error('redis-server has no process id');
  return { child, reaper: startReaper(child.pid, folder) };
}

/** Resolves at the server's own line, so that a loaded append-only file counts as part of the start. */
function readiness(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string) => {
      clearTimeout(timer);
      reject(new Error(`redis-server ${why}\n${output}`));
    };
    const timer = setTimeout(() => fail(`did not come up in ${startTimeoutMs} ms`), startTimeoutMs);
    child.once('error', (error) => fail(error.message));
    child.once('close', (code, signal) => fail(`ended with ${code ?? signal}`));
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      // The log of a running server is read on and dropped: a full pipe would stop it.
      if (output.includes('Ready to accept connections')) return;
      output += chunk;
      if (!output.includes('Ready to accept connections')) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
