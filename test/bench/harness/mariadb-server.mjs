import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import mysql from 'mysql2/promise';
import { freePort } from './free-port.mjs';
import { cpuSeconds, startPinned, stop } from './pinned-process.mjs';

/** `nobody`: MariaDB declines to run as root. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
/** Where the tests unpack a MariaDB. */
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url));
const UNPACKED = join(CACHE, 'mariadb', 'root', 'usr');
const ATTEMPTS = 200;
const PAUSE_MS = 50;

/** Starts a MariaDB for this run: loopback, a free port, and otherwise its defaults, so that commits are on the disk. */
export async function startMariadb() {
  const program = programOfMariadb();
  if (program === null) {
    throw new Error('MariaDB is not installed: apt-get install mariadb-server, or run test/mysql');
  }
  const share = join(dirname(program), '../share/mysql');
  const folder = mkdtempSync(join(tmpdir(), 'latchhook-bench-mariadb-'));
  if (UNPRIVILEGED.uid !== undefined) chownSync(folder, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
  const init = join(folder, 'init.sql');
  writeFileSync(init, `CREATE DATABASE mysql;\nUSE mysql;\n${procedureTable(share)}\n`);
  const port = await freePort();
  const child = startPinned(
    'client',
    [
      ...[program, '--no-defaults', `--datadir=${folder}`, `--socket=${join(folder, 'socket')}`],
      ...[`--lc-messages-dir=${share}`, `--character-sets-dir=${join(share, 'charsets')}`],
      ...['--bind-address=127.0.0.1', `--port=${port}`],
      // No tables of users, which would take seconds to make.
      ...['--skip-grant-tables', `--init-file=${init}`, `--log-error=${join(folder, 'log')}`],
    ],
    program.startsWith(UNPACKED) ? { LD_LIBRARY_PATH: libraryFolders() } : {},
    UNPRIVILEGED,
  );
  child.stdout.resume();
  const url = `mysql://root@127.0.0.1:${port}/`;
  await untilAnswered(url);
  return {
    url: `${url}bench`,
    cpuSeconds: () => cpuSeconds(child),
    stop: async () => {
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The path of the server: on PATH, where Debian keeps it, or unpacked; `null` if it is not installed. */
function programOfMariadb() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  const paths = [...folders, join(UNPACKED, 'sbin')].map((folder) => join(folder, 'mariadbd'));
  return paths.find((path) => existsSync(path)) ?? null;
}

function libraryFolders() {
  const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  return join(UNPACKED, `lib/${machine}-linux-gnu`);
}

/** The statement that creates the system table of procedures. */
function procedureTable(share) {
  const names = ['mysql_system_tables.sql', 'mariadb_system_tables.sql'];
  const path = names.map((name) => join(share, name)).find((each) => existsSync(each));
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.find((line) => line.startsWith('CREATE TABLE IF NOT EXISTS proc '));
}

async function untilAnswered(uri) {
  for (let attempt = 1; ; attempt++) {
    try {
      const connection = await mysql.createConnection(uri);
      await connection.query('CREATE DATABASE IF NOT EXISTS bench');
      return await connection.end();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
