import { execFileSync } from 'node:child_process';

/** Resident set of a process, MiB. */
export function residentMib(processId: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(processId)])) / 1024;
}
