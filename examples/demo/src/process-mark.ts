import { readFileSync } from 'node:fs';
import { isCode } from './is-code.ts';

/** Fields of `/proc/<pid>/stat`, counted from the end of the program's name, which may hold spaces and parentheses. */
const STATE = 0;
const STARTED_AT = 19;
/** Ended, but not yet reaped by the parent: in some containers no parent ever does that. */
const ENDED = new Set(['Z', 'X']);

/**
 * Distinguishes a process from a later one with the same id: by when it started, and by which boot of the machine that
 * was. `null` if that is not known: outside of Linux, or if there is no such process.
 */
export function markOf(processId: number): string | null {
  const stat = readIfAny(`/proc/${processId}/stat`);
  const boot = readIfAny('/proc/sys/kernel/random/boot_id');
  if (stat === null || boot === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ENDED.has(fields[STATE] ?? '') ? 'ended' : `${boot.trim()}:${fields[STARTED_AT]}`;
}

/** Whether the process with this id and mark still runs. If marks are unknown: whether any process has the id. */
export function isRunning(processId: number, mark: string): boolean {
  if (!hasProcess(processId)) return false;
  const present = markOf(processId);
  return mark === '' || present === null || present === mark;
}

function hasProcess(processId: number): boolean {
  if (!(processId > 0)) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // It belongs to another user.
    return isCode(error, 'EPERM');
  }
}

function readIfAny(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
