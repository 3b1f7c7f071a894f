import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCode } from './is-code.ts';
import { isRunning, markOf } from './process-mark.ts';

/** Another process has the lock. */
export interface FolderHeld {
  readonly outcome: 'held';
  readonly processId: number;
}

export type FolderLock = { readonly outcome: 'locked' } | FolderHeld;

/**
 * Creates the folder if it does not exist, and locks it until this process ends, even if the process is killed.
 *
 * Node has no lock that the operating system releases, so each lock is a file that names a process: `lock.1`, `lock.2`
 * and so on. The file with the highest number is the lock, as long as its process runs. To take over the lock of an
 * ended process, a process creates the file with the next number; the operating system lets only one process do so.
 *
 * Concurrency: if several processes lock the folder together, one of them gets the lock. The lock does not work between
 * machines or containers.
 */
export function lockFolder(folder: string): FolderLock {
  // No other user of this machine may read the folder.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `draft.${randomUUID()}`);
  writeFileSync(draft, `${process.pid} ${markOf(process.pid)}`);
  try {
    for (;;) {
      const newest = newestLock(folder);
      const holder = newest === 0 ? null : runningHolder(lockFile(folder, newest));
      if (holder !== null) return { outcome: 'held', processId: holder };
      if (createLock(folder, newest + 1, draft)) return { outcome: 'locked' };
    }
  } finally {
    rmSync(draft);
  }
}

/** Creates the lock with this number, and removes older locks. Returns whether this process has the lock. */
function createLock(folder: string, number: number, draft: string): boolean {
  try {
    // `link` is atomic, and fails if the file exists: if several processes try together, one of them creates the lock.
    linkSync(draft, lockFile(folder, number));
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
  // Since this process looked for the newest lock, another process may have created the lock with this number and
  // ended, and a third process may have created the next lock and removed that one: the number is free, but too low.
  if (newestLock(folder) > number) {
    rmSync(lockFile(folder, number), { force: true });
    return false;
  }
  for (const older of locksIn(folder).filter((other) => other < number)) {
    rmSync(lockFile(folder, older), { force: true });
  }
  return true;
}

/** Returns the id of the process that a lock names; null if the process has ended. */
function runningHolder(file: string): number | null {
  try {
    // A crash of the machine may leave an empty file. Its process id is NaN, which no process has.
    const [pid, mark = ''] = readFileSync(file, 'utf8').split(' ');
    return isRunning(Number(pid), mark) ? Number(pid) : null;
  } catch (error) {
    // A process with a newer lock has removed the file.
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** 0 if there is no lock. */
function newestLock(folder: string): number {
  return Math.max(0, ...locksIn(folder));
}

function locksIn(folder: string): readonly number[] {
  return readdirSync(folder).flatMap((name) => {
    const [, number] = /^lock\.(\d+)$/.exec(name) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
}

function lockFile(folder: string, number: number): string {
  return join(folder, `lock.${number}`);
}
