import { availableParallelism } from 'node:os';
import { hasCommand } from './command.mjs';

/**
 * Which CPU the measured server has for itself, and which the load and Redis share. Without `taskset` (or
 * a second CPU) nothing is pinned, and the scheduler's moves become part of the noise.
 */
export const pinning =
  hasCommand('taskset') && availableParallelism() > 1 ? { server: 0, client: 1 } : null;

/** The command line that runs `command` on the CPU of that side. */
export function pinned(side, command) {
  return pinning === null ? command : ['taskset', '-c', String(pinning[side]), ...command];
}
