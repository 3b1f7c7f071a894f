import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RedisServerBinary } from './find-redis-server.ts';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/redis', import.meta.url));
const archives = join(cache, 'archives');
const lists = join(cache, 'lists');
const unpacked = join(cache, 'root');

/**
 * Unpacks Redis from the packages of Debian or Ubuntu, without installing anything: no root, no daemon, and every file
 * under `node_modules/.cache/redis`. It takes about two seconds; the next run finds it there.
 *
 * @param runs - whether a binary starts here; one that was unpacked before and does not start is fetched again.
 * @returns `undefined` where the machine has no apt, or apt could not get the packages.
 */
export function fetchRedisServer(
  runs: (binary: RedisServerBinary) => boolean,
): RedisServerBinary | undefined {
  const kept = unpackedServer();
  if (kept !== undefined && runs(kept)) return kept;
  if (!download()) return undefined;
  unpack();
  const fetched = unpackedServer();
  return fetched !== undefined && runs(fetched) ? fetched : undefined;
}

/** Answers `false` where apt is missing, or finds the packages by neither the machine's lists nor fresh ones. */
function download(): boolean {
  rmSync(archives, { recursive: true, force: true });
  mkdirSync(join(archives, 'partial'), { recursive: true });
  // --reinstall fetches the named packages even where they are installed; missing libraries come as dependencies.
  const install = ['install', '--download-only', '--reinstall', 'redis-server', 'redis-tools'];
  if (apt(install)) return true;

  // The machine's lists may be missing (container images delete them) or too old. Fresh ones go to our own
  // folder: that needs no root and leaves the machine as it was.
  mkdirSync(join(lists, 'partial'), { recursive: true });
  const ownLists = ['-o', `Dir::State::lists=${lists}`];
  return apt(['update', ...ownLists]) && apt([...install, ...ownLists]);
}

function apt(args: readonly string[]): boolean {
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

function unpack(): void {
  const staging = mkdtempSync(join(cache, 'staging-'));
  for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb'))) {
    const { status } = spawnSync('dpkg-deb', ['-x', join(archives, name), staging]);
    if (status !== 0) throw new Error(`dpkg-deb could not unpack ${join(archives, name)}.`);
  }
  rmSync(unpacked, { recursive: true, force: true });
  // A rename is atomic: a run that is interrupted leaves no half of a server to be found later.
  renameSync(staging, unpacked);
}

function unpackedServer(): RedisServerBinary | undefined {
  const path = join(unpacked, 'usr/bin/redis-server');
  if (!existsSync(path)) return undefined;
  return { path, libraryPath: libraryFolders().join(delimiter) };
}

/** Debian keeps libraries one level below, in a folder named after the architecture. */
function libraryFolders(): readonly string[] {
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
