import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type FolderLock, lockFolder } from '@latchhook/example-demo';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProcessGroup } from '../support/apps/process-group.ts';
import { temporaryFolder } from '../support/servers/temporary-folder.ts';

/** Prints the outcome, and stays alive. */
const LOCKER = `
  import(process.argv[1]).then(({ lockFolder }) => {
    console.log(JSON.stringify({ ...lockFolder(process.argv[2]), own: process.pid }));
    setInterval(() => {}, 1_000_000);
  });`;
const BUILT = fileURLToPath(new URL('../../examples/demo/dist/lock-folder.js', import.meta.url));

interface Locker {
  readonly lock: FolderLock & { readonly own: number };
  kill9(): Promise<void>;
}

/** Starts a process that tries to lock the folder: node, or a program that runs node with these arguments. */
async function startLocker(folder: string, launcher: readonly string[] = []): Promise<Locker> {
  const [command = '', ...args] = [...launcher, process.execPath, '-e', LOCKER, BUILT, folder];
  const group = await startProcessGroup(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => group.kill9());
  const { stdout } = group.child;
  if (stdout === null) throw new Error('nothing to read');
  const [line] = await once(createInterface(stdout), 'line');
  return { lock: JSON.parse(String(line)), kill9: () => group.kill9() };
}

function startLockers(folder: string, count: number): Promise<readonly Locker[]> {
  return Promise.all(Array.from({ length: count }, () => startLocker(folder)));
}

describe('lockFolder', () => {
  it('creates the folder and locks it only once', async () => {
    const folder = join(await temporaryFolder(), 'not', 'there', 'yet');
    expect(lockFolder(folder)).toEqual({ outcome: 'locked' });
    expect(lockFolder(folder)).toEqual({ outcome: 'held', processId: process.pid });
    expect(await readdir(folder)).toEqual(['lock.1']);
  });

  it('gives the lock of a killed process to one of six processes', async () => {
    const folder = await temporaryFolder();
    for (let round = 1; round <= 3; round += 1) {
      const lockers = await startLockers(folder, 6);
      const winners = lockers.filter(({ lock }) => lock.outcome === 'locked');
      const losers = lockers.filter(({ lock }) => lock.outcome === 'held');
      expect([winners.length, losers.length]).toEqual([1, 5]);
      for (const { lock } of losers)
        expect(lock).toMatchObject({ processId: winners[0]?.lock.own });
      await Promise.all(lockers.map((locker) => locker.kill9()));
    }
    expect(await readdir(folder)).toEqual(['lock.3']);
  });

  it('ignores an empty lock file, as a crash of the machine may leave it', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'lock.7'), '');
    expect(lockFolder(folder)).toEqual({ outcome: 'locked' });
    expect(await readdir(folder)).toEqual(['lock.8']);
  });

  describe.runIf(process.platform === 'linux')('on Linux', () => {
    it('does not mistake a process for an earlier process with the same id', async () => {
      const folder = await temporaryFolder();
      await writeFile(join(folder, 'lock.1'), `${process.pid} of-another-start`);
      expect(lockFolder(folder)).toEqual({ outcome: 'locked' });
    });

    it('does not wait for a zombie process', async () => {
      const folder = await temporaryFolder();
      // `sleep` reaps no child, so its children stay zombies.
      const adopter = ['sh', '-c', '"$@" & exec sleep 1000', 'adopter'];
      const { lock } = await startLocker(folder, adopter);
      expect(lock.outcome).toBe('locked');
      process.kill(lock.own, 'SIGKILL');
      await expect.poll(() => lockFolder(folder)).toEqual({ outcome: 'locked' });
      expect(() => process.kill(lock.own, 0)).not.toThrow();
    });
  });
});
