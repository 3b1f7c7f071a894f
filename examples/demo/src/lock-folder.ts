import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCode } from './is-code.ts';
import { isRunning, markOf } from './process-mark.ts';

/** Another process has locked the folder. */
export interface FolderHeld {
  readonly outcome: 'held';
  readonly processId: number;
}

export type FolderLock = { readonly outcome: 'locked' } | FolderHeld;

/**
 * Makes the folder if there is none, and locks it until this process ends, however it ends.
 *
 * Node has no lock that the system releases, so locks are files, `lock.1`, `lock.2` and so on, that name a process. The
 * one with the highest number counts, as long as its process runs. It is never removed, only followed by the next: if
 * two processes find one that a third left behind, one of them follows it.
 *
 * Concurrency: of processes that ask at once, one gets the lock. Processes of other machines or containers are not
 * seen.
 */
export function lockFolder(folder: string): FolderLock {
  // No other user of this machine may read what is kept there.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `draft.${randomUUID()}`);
  writeFileSync(draft, `${process.pid} ${markOf(process.pid) ?? ''}`);
  try {
    for (;;) {
      const newest = newestLock(folder);
      const holder = newest === 0 ? null : runningHolder(lockFile(folder, newest));
      if (holder !== null) return { outcome: 'held', processId: holder };
      if (follow(folder, newest, draft)) return { outcome: 'locked' };
    }
  } finally {
    rmSync(draft);
  }
}

/** @returns whether the lock after `newest` is ours */
function follow(folder: string, newest: number, draft: string): boolean {
  const own = newest + 1;
  try {
    // A link appears complete and only once: of processes that try together, one wins.
    linkSync(draft, lockFile(folder, own));
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
  // Meanwhile another may have had this number, ended and been followed, which removed its lock and freed the number.
  if (newestLock(folder) > own) {
    rmSync(lockFile(folder, own), { force: true });
    return false;
  }
  for (const older of locksIn(folder).filter((number) => number < own)) {
    rmSync(lockFile(folder, older), { force: true });
  }
  return true;
}

/** @returns the process that a lock names, if it still runs */
function runningHolder(file: string): number | null {
  try {
    // A machine that crashed may leave an empty file: no process has survived that.
    const [pid, mark = ''] = readFileSync(file, 'utf8').split(' ');
    return isRunning(Number(pid), mark) ? Number(pid) : null;
  } catch (error) {
    // Removed by the process that followed it.
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

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
