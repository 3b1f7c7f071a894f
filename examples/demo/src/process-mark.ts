import { readFileSync } from 'node:fs';
import { isCode } from './is-code.ts';

/** Of `/proc/<pid>/stat`, counted from behind the name of the program, which may hold spaces and parentheses. */
const STATE = 0;
const STARTED_AT = 19;
/** Ended, but not yet asked for by the parent: some containers have none that ever asks. */
const ENDED = new Set(['Z', 'X']);

/**
 * What tells a process from another that is given its id later: when it started, after which start of the
 * machine. `null` where that cannot be found out: outside of Linux, or if there is no such process.
 */
export function markOf(processId: number): string | null {
  const stat = readIfAny(`/proc/${processId}/stat`);
  const boot = readIfAny('/proc/sys/kernel/random/boot_id');
  if (stat === null || boot === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ENDED.has(fields[STATE] ?? '') ? 'ended' : `${boot.trim()}:${fields[STARTED_AT]}`;
}

/** Whether the process that had this id and mark still runs. Where marks are unknown, whether any has the id. */
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
    // One of another user.
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
