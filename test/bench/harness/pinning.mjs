import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { hasCommand } from './command.mjs';

const TASKSET = 'taskset';

/**
 * Which CPU the measured server has for itself, and which the load and Redis share. Without `taskset` (or
 * a second CPU) nothing is pinned, and the scheduler's moves become part of the noise.
 */
export const pinning =
  hasCommand(TASKSET) && availableParallelism() > 1 ? { server: 0, client: 1 } : null;

/** The command line that runs `command` on the CPU of that side. */
export function pinned(side, command) {
  return pinning === null ? command : [TASKSET, '-c', String(pinning[side]), ...command];
}

/** Moves this process to the client's side: nothing that it does may take time from the measured server. */
export function pinThisProcess() {
  if (pinning === null) return;
  execFileSync(TASKSET, ['-cp', String(pinning.client), String(process.pid)], {
    stdio: 'ignore',
  });
}
