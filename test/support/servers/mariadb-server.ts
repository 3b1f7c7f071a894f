import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputLine } from '../apps/output-line.ts';
import { type ProcessGroup, startProcessGroup } from '../apps/process-group.ts';
import type { MariadbProgram } from './find-mariadb-server.ts';
import { startOnFreePort } from './start-on-free-port.ts';

/** A real MariaDB on a loopback port, with a temporary folder. */
export interface MariadbServer {
  /** The URL of a user with all rights and no password. */
  readonly url: string;
  /** SIGKILL. */
  kill9(): Promise<void>;
  /** Starts the server again on the same port and folder; shuts it down first if it runs. */
  restart(): Promise<void>;
  /** SIGSTOP: connections stay open, but the server does not reply. */
  pause(): void;
  /** SIGCONT, after `pause`. */
  resume(): void;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
}

export interface MariadbServerOptions {
  /** System variables. They override the defaults, which trade durability for speed. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** `nobody`: MariaDB declines to run as root. */
const unprivileged = { uid: 65_534, gid: 65_534 };

/**
 * Starts a real MariaDB and waits until it accepts connections.
 *
 * @throws {Error} with the server's output if it does not start.
 */
export async function startMariadbServer(
  program: MariadbProgram,
  { variables = {} }: MariadbServerOptions = {},
): Promise<MariadbServer> {
  const folder = await mkdtemp(join(tmpdir(), 'latchhook-mariadb-'));
  await writeFile(join(folder, 'init.sql'), await procedureTable(program));
  const account = process.getuid?.() === 0 ? unprivileged : undefined;
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  const start = async (at: number) => {
    const args = argsOf(program, folder, { port: String(at), ...variables });
    const group = await startProcessGroup(program.path, args, {
      ...account,
      env: program.env,
      cwd: folder,
      stdio: 'pipe',
      temporaryFolder: folder,
    });
    await readiness(group);
    return group;
  };
  let { port, running } = await startOnFreePort(start, folder);
  return {
    url: `mysql://root@127.0.0.1:${port}/`,
    kill9: () => running.kill9(),
    async restart() {
      running.signal('SIGTERM');
      await running.exited();
      await running.kill9();
      running = await start(port);
    },
    pause: () => running.signal('SIGSTOP'),
    resume: () => running.signal('SIGCONT'),
    async stop() {
      await running.kill9();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function argsOf(
  { args }: MariadbProgram,
  folder: string,
  variables: Readonly<Record<string, string>>,
): readonly string[] {
  const settings = {
    'innodb-flush-log-at-trx-commit': '0',
    'innodb-log-file-size': '32M',
    'max-connections': '500',
    ...variables,
  };
  return [
    '--no-defaults',
    ...args,
    `--datadir=${folder}`,
    `--socket=${join(folder, 'socket')}`,
    '--bind-address=127.0.0.1',
    // Of the system tables, the server gets only the table of procedures: the tables of users would take seconds.
    '--skip-grant-tables',
    `--init-file=${join(folder, 'init.sql')}`,
    ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
  ];
}

async function procedureTable({ systemTables }: MariadbProgram): Promise<string> {
  const lines = (await readFile(systemTables, 'utf8')).split('\n');
  const table = lines.find((line) => line.startsWith('CREATE TABLE IF NOT EXISTS proc '));
  return `CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\n${table}\n`;
}

async function readiness(group: ProcessGroup): Promise<void> {
  try {
    await outputLine(group.child, /ready for connections/);
  } catch (error) {
    await group.kill9();
    throw error;
  }
}
