import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { hasCommand } from './command.mjs';

const TASKSET = 'taskset';

/**
 * The CPU that the measured server has to itself, and the one that the load and Redis share. Without `taskset` or a
 * second CPU nothing is pinned, and the scheduler adds to the noise.
 */
export const pinning =
  hasCommand(TASKSET) && availableParallelism() > 1 ? { server: 0, client: 1 } : null;

/** The command line that runs `command` on the CPU of a side, `server` or `client`. */
export function pinned(side, command) {
  return pinning === null ? command : [TASKSET, '-c', String(pinning[side]), ...command];
}

/** Moves this process to the client's side, so that it takes no time from the measured server. */
export function pinThisProcess() {
  if (pinning === null) return;
  execFileSync(TASKSET, ['-cp', String(pinning.client), String(process.pid)], {
    stdio: 'ignore',
  });
}
