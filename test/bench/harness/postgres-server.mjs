import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.mjs';
import { cpuSecondsOfChildren, startPinned, stop } from './pinned-process.mjs';

/** `nobody`: PostgreSQL declines to run as root. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const ATTEMPTS = 100;
const PAUSE_MS = 50;

/**
 * Starts a PostgreSQL for this run: loopback, a free port, and otherwise its defaults, so that commits are on the disk.
 */
export async function startPostgres() {
  const bin = folderOfPostgres();
  if (bin === null) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const folder = mkdtempSync(join(tmpdir(), 'latchhook-bench-postgres-'));
  if (UNPRIVILEGED.uid !== undefined) chownSync(folder, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
  const initdb = [
    '-D',
    folder,
    '-U',
    'latchhook',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-locale',
    '-N',
  ];
  execFileSync(join(bin, 'initdb'), initdb, { ...UNPRIVILEGED, cwd: folder, stdio: 'ignore' });
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    log_min_messages: 'fatal',
  };
  const child = startPinned(
    'client',
    [
      ...[join(bin, 'postgres'), '-D', folder],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    {},
    UNPRIVILEGED,
  );
  child.stdout.resume();
  const url = `postgres://latchhook@127.0.0.1:${port}/postgres`;
  await untilAnswered(url);
  return {
    url,
    // Each connection is a child process of the server, even if it has ended.
    cpuSeconds: () => cpuSecondsOfChildren(child),
    stop: async () => {
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The folder of PostgreSQL's programs: on PATH, or where Debian keeps them; `null` if not installed. */
export function folderOfPostgres() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => b - a) : [];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

async function untilAnswered(connectionString) {
  for (let attempt = 1; ; attempt++) {
    const client = new pg.Client({ connectionString });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
