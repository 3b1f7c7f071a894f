import { readFileSync } from 'node:fs';
import { isCode } from './is-code.ts';

/** Indexes of fields in `/proc/<pid>/stat`, after the program's name, which may contain spaces and parentheses. */
const STATE = 0;
const START_TIME = 19;
/** The states of processes that have ended and are not reaped, as in containers without an init process. */
const ENDED_STATES = ['Z', 'X'];

/** The mark of any process outside of Linux, and of an id that no process has. */
const UNKNOWN = '';

/**
 * A mark that a later process with the same id does not have: the boot of the machine and the start time. The mark of
 * an ended process differs from the mark that it had before.
 */
export function markOf(processId: number): string {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ENDED_STATES.includes(fields[STATE] ?? '') ? 'ended' : `${boot}:${fields[START_TIME]}`;
  } catch {
    return UNKNOWN;
  }
}

/** Whether the process with this id and mark runs. If a mark is unknown: whether any process has the id. */
export function isRunning(processId: number, mark: string): boolean {
  if (!hasProcess(processId)) return false;
  const currentMark = markOf(processId);
  return mark === UNKNOWN || currentMark === UNKNOWN || currentMark === mark;
}

function hasProcess(processId: number): boolean {
  if (!(processId > 0)) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, and belongs to another user.
    return isCode(error, 'EPERM');
  }
}
