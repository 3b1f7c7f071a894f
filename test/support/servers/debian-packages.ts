import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const caches = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url));

/** Packages that are unpacked, but not installed. */
export interface UnpackedPackages {
  /** The folder that stands for `/`. */
  readonly root: string;
  /** The folders of their shared libraries. */
  readonly libraryPath: string;
}

/** @returns the packages that {@link fetchDebianPackages} has unpacked before under this name */
export function unpackedPackages(name: string): UnpackedPackages | undefined {
  const root = join(caches, name, 'root');
  return existsSync(root) ? { root, libraryPath: libraryFolders(root).join(delimiter) } : undefined;
}

/**
 * Unpacks packages of Debian or Ubuntu and their dependencies into `node_modules/.cache/<name>`, in some seconds. It
 * installs nothing, and needs neither root nor a daemon.
 *
 * @returns `undefined` if the machine has no apt, or apt cannot get the packages.
 */
export function fetchDebianPackages(
  name: string,
  packages: readonly string[],
): UnpackedPackages | undefined {
  const cache = join(caches, name);
  if (!download(cache, packages)) return undefined;
  unpack(cache);
  return unpackedPackages(name);
}

/** Returns `false` if apt is missing, or finds the packages neither in the machine's lists nor in fresh lists. */
function download(cache: string, packages: readonly string[]): boolean {
  const archives = join(cache, 'archives');
  const lists = join(cache, 'lists');
  rmSync(archives, { recursive: true, force: true });
  mkdirSync(join(archives, 'partial'), { recursive: true });
  // --reinstall fetches the named packages even if they are installed; missing libraries come as dependencies.
  const install = ['install', '--download-only', '--reinstall', ...packages];
  if (apt(archives, install)) return true;

  // The machine's lists may be missing (container images delete them) or too old. Fresh lists go to the cache: that
  // needs no root and leaves the machine unchanged.
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

function unpack(cache: string): void {
  const archives = join(cache, 'archives');
  const unpacked = join(cache, 'root');
  const staging = mkdtempSync(join(cache, 'staging-'));
  for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb'))) {
    const { status } = spawnSync('dpkg-deb', ['-x', join(archives, name), staging]);
    if (status !== 0) throw new Error(`dpkg-deb could not unpack ${join(archives, name)}.`);
  }
  rmSync(unpacked, { recursive: true, force: true });
  // A rename is atomic: an interrupted run leaves no incomplete folder.
  renameSync(staging, unpacked);
}

/** Debian keeps libraries in a folder named after the architecture, and some in subfolders for one program. */
function libraryFolders(root: string): readonly string[] {
  const folders = ['usr/lib', 'lib'].map((folder) => join(root, folder)).filter(existsSync);
  const below = folders.flatMap(foldersIn);
  return [...folders, ...below, ...below.flatMap(foldersIn)];
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}
