import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapsed } from 'node:timers/promises';
import { promisify } from 'node:util';
import { outputLine } from '../apps/output-line.ts';
import { type ProcessGroup, startProcessGroup } from '../apps/process-group.ts';
import type { PostgresPrograms } from './find-postgres-server.ts';
import { startOnFreePort } from './start-on-free-port.ts';

export interface PostgresServerOptions {
  /** Lines of a postgresql.conf. They override the defaults, which trade durability for speed. */
  readonly config?: Readonly<Record<string, string>>;
}

/** A real PostgreSQL on a loopback port, with a temporary folder. */
export interface PostgresServer {
  readonly host: string;
  /** Unchanged by `restart`. */
  readonly port: number;
  /** The URL of its only role, which has all rights and no password. */
  readonly url: string;
  /** SIGKILL for all processes of the server, as if the machine had stopped. */
  kill9(): Promise<void>;
  /** Starts the server again on the same port and folder; kills it first if it runs. */
  restart(): Promise<void>;
  /** Stops the server and removes its folder. May be called twice. */
  stop(): Promise<void>;
}

const host = '127.0.0.1';
/** After a kill, the server declines to start until the kernel has cleaned up the killed processes. */
const releaseAttempts = 100;
const releasePauseMs = 20;
/** `nobody`: PostgreSQL declines to run as root. */
const unprivileged = { uid: 65_534, gid: 65_534 };

/**
 * Starts a real PostgreSQL and waits until it accepts connections.
 *
 * @throws {Error} with the server's output if it does not start.
 */
export async function startPostgresServer(
  programs: PostgresPrograms,
  { config = {} }: PostgresServerOptions = {},
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'latchhook-postgres-'));
  await initialise(programs, folder);
  const start = (port: number) => startOn(programs, folder, port, config);
  let { port, running } = await startOnFreePort(start, folder);
  return {
    host,
    port,
    url: `postgres://latchhook@${host}:${port}/postgres`,
    kill9: () => killAll(running),
    restart: async () => {
      await killAll(running);
      running = await startOnceReleased(() => start(port));
    },
    stop: async () => {
      await killAll(running);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function initialise({ initdb }: PostgresPrograms, folder: string): Promise<void> {
  const { uid, gid } = account();
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  const args = ['-D', folder, '-U', 'latchhook', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'];
  await promisify(execFile)(initdb, args, { ...account(), cwd: folder });
}

async function startOnceReleased(start: () => Promise<ProcessGroup>): Promise<ProcessGroup> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      const isHeld = error instanceof Error && error.message.includes('shared memory block');
      if (!isHeld || attempt === releaseAttempts) throw error;
      await elapsed(releasePauseMs);
    }
  }
}

/**
 * Kills the postmaster and each backend. Backends have sessions of their own, so a signal to the process group does not
 * reach them, and without a SIGKILL a busy backend would still commit. The postmaster is stopped first, so that it
 * starts no further backends.
 */
async function killAll(postmaster: ProcessGroup): Promise<void> {
  if (postmaster.hasExited()) return;
  postmaster.signal('SIGSTOP');
  for (const pid of await childrenOf(postmaster)) killIfThere(pid);
  await postmaster.kill9();
}

async function childrenOf({ child }: ProcessGroup): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, parent]) => (pid !== undefined && parent === child.pid ? [pid] : []));
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended, because its postmaster was gone.
  }
}

async function startOn(
  { postgres }: PostgresPrograms,
  folder: string,
  port: number,
  config: Readonly<Record<string, string>>,
): Promise<ProcessGroup> {
  const settings = {
    fsync: 'off',
    max_connections: '200',
    ...config,
    listen_addresses: host,
    port: String(port),
    unix_socket_directories: '',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const group = await startProcessGroup(postgres, ['-D', folder, ...args], {
    ...account(),
    cwd: folder,
    stdio: 'pipe',
    temporaryFolder: folder,
  });
  try {
    await outputLine(group.child, /ready to accept connections/);
  } catch (error) {
    await group.kill9();
    throw error;
  }
  return group;
}

function account(): { readonly uid?: number; readonly gid?: number } {
  return process.getuid?.() === 0 ? unprivileged : {};
}
