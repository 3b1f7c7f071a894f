import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fetchDebianPackages, type UnpackedPackages, unpackedPackages } from './debian-packages.ts';

/** A `mariadbd` that runs on this machine. */
export interface MariadbProgram {
  readonly path: string;
  /** Arguments by which it finds its own files. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Its script that creates the system tables. */
  readonly systemTables: string;
}

/**
 * Looks for a MariaDB that can be started: on PATH, in Debian's folder, which may not be on PATH, and in the packages
 * of Debian or Ubuntu, which are unpacked under `node_modules/.cache/mariadb`.
 *
 * @returns `undefined` if there is none.
 */
export function findMariadbServer(): MariadbProgram | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  const installed = folders
    .map((folder) => ({
      path: join(folder, 'mariadbd'),
      args: [],
      env: process.env,
      systemTables: systemTablesIn(join(folder, '..')),
    }))
    .find(runs);
  return (
    installed ??
    programIn(unpackedPackages('mariadb')) ??
    programIn(fetchDebianPackages('mariadb', ['mariadb-server-core']))
  );
}

function programIn(unpacked: UnpackedPackages | undefined): MariadbProgram | undefined {
  if (unpacked === undefined) return undefined;
  const { root, libraryPath } = unpacked;
  const program = {
    path: join(root, 'usr/sbin/mariadbd'),
    args: [
      `--lc-messages-dir=${join(root, 'usr/share/mysql')}`,
      `--character-sets-dir=${join(root, 'usr/share/mysql/charsets')}`,
    ],
    env: { ...process.env, LD_LIBRARY_PATH: libraryPath },
    systemTables: systemTablesIn(join(root, 'usr')),
  };
  return runs(program) ? program : undefined;
}

/** The name and the folder of the script differ between versions. */
function systemTablesIn(folder: string): string {
  const paths = ['mysql', 'mariadb'].flatMap((name) =>
    ['mysql', 'mariadb'].map((prefix) =>
      join(folder, 'share', name, `${prefix}_system_tables.sql`),
    ),
  );
  return paths.find((path) => existsSync(path)) ?? '';
}

function runs({ path, env, systemTables }: MariadbProgram): boolean {
  return (
    systemTables !== '' && spawnSync(path, ['--no-defaults', '--version'], { env }).status === 0
  );
}
