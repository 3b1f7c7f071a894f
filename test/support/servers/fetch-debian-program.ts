import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url));

/** A program, and where it is packaged. */
export interface DebianProgram {
  /** A folder of its own in the cache. */
  readonly name: string;
  readonly packages: readonly string[];
  /** Where the packages put it, below the root. */
  readonly path: string;
}

/** A program that runs on this machine. */
export interface ProgramBinary {
  readonly path: string;
  /** Folders of shared libraries that came with it; empty where the system has them all. */
  readonly libraryPath: string;
}

interface Folders {
  readonly cache: string;
  readonly archives: string;
  readonly lists: string;
  readonly unpacked: string;
}

/**
 * Unpacks a program from the packages of Debian or Ubuntu, without installing anything: no root, no daemon, and every
 * file under `node_modules/.cache`. It takes seconds; the next run finds it there.
 *
 * @param runs - whether a binary starts here; one that was unpacked before and does not start is fetched again.
 * @returns `undefined` where the machine has no apt, or apt could not get the packages.
 */
export function fetchDebianProgram(
  { name, packages, path }: DebianProgram,
  runs: (binary: ProgramBinary) => boolean,
): ProgramBinary | undefined {
  const cache = join(CACHE, name);
  const folders: Folders = {
    cache,
    archives: join(cache, 'archives'),
    lists: join(cache, 'lists'),
    unpacked: join(cache, 'root'),
  };
  const kept = findUnpacked(folders, path);
  if (kept !== undefined && runs(kept)) return kept;
  if (!download(folders, packages)) return undefined;
  unpack(folders);
  const fetched = findUnpacked(folders, path);
  return fetched !== undefined && runs(fetched) ? fetched : undefined;
}

/** The environment that lets the binary find the libraries that came with it. */
export function environmentOf(binary: ProgramBinary): NodeJS.ProcessEnv {
  if (binary.libraryPath === '') return process.env;
  return { ...process.env, LD_LIBRARY_PATH: binary.libraryPath };
}

/** Answers `false` where apt is missing, or finds the packages by neither the machine's lists nor fresh ones. */
function download({ archives, lists }: Folders, packages: readonly string[]): boolean {
  rmSync(archives, { recursive: true, force: true });
  mkdirSync(join(archives, 'partial'), { recursive: true });
  // --reinstall fetches the named packages even where they are installed; missing libraries come as dependencies.
  const install = ['install', '--download-only', '--reinstall', ...packages];
  if (apt(archives, install)) return true;

  // The machine's lists may be missing (container images delete them) or too old. Fresh ones go to our own
  // folder: that needs no root and leaves the machine as it was.
  mkdirSync(join(lists, 'partial'), { recursive: true });
  const ownLists = ['-o', `Dir::State::lists=${lists}`];
  return apt(archives, ['update', ...ownLists]) && apt(archives, [...install, ...ownLists]);
}

function apt(archives: string, args: readonly string[]): boolean {
  const options = [
    '--yes',
    '--quiet=2',
    ...['-o', `Dir::Cache::archives=${archives}`],
    ...['-o', 'Dir::Cache::pkgcache='],
    ...['-o', 'Dir::Cache::srcpkgcache='],
    ...['-o', 'Debug::NoLocking=1'],
    ...['-o', 'APT::Sandbox::User=root'],
  ];
  return spawnSync('apt-get', [...options, ...args], { stdio: 'ignore' }).status === 0;
}

function unpack({ cache, archives, unpacked }: Folders): void {
  const staging = mkdtempSync(join(cache, 'staging-'));
  for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb'))) {
    const { status } = spawnSync('dpkg-deb', ['-x', join(archives, name), staging]);
    if (status !== 0) throw new Error(`dpkg-deb could not unpack ${join(archives, name)}.`);
  }
  rmSync(unpacked, { recursive: true, force: true });
  // A rename is atomic: a run that is interrupted leaves no half of a program to be found later.
  renameSync(staging, unpacked);
}

function findUnpacked({ unpacked }: Folders, path: string): ProgramBinary | undefined {
  const file = join(unpacked, path);
  if (!existsSync(file)) return undefined;
  return { path: file, libraryPath: libraryFolders(unpacked).join(delimiter) };
}

/** Debian keeps libraries one level below, in a folder named after the architecture. */
function libraryFolders(unpacked: string): readonly string[] {
  return ['usr/lib', 'lib']
    .map((folder) => join(unpacked, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [
      folder,
      ...readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => join(folder, entry.name)),
    ]);
}
