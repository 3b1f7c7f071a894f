import { availableParallelism } from 'node:os';

/**
 * How many password hashes run at a time: as many as there are cores, because more only slow each other down. One
 * thread of libuv is left free for other work, such as the `dns.lookup` of a reconnecting Redis client, which would
 * queue after every hash.
 */
export function defaultConcurrency(
  cores: number = availableParallelism(),
  poolSize: number = threadPoolSize(process.env['UV_THREADPOOL_SIZE']),
): number {
  return Math.max(1, Math.min(cores, poolSize - 1));
}

/** Reads the variable as libuv does: nonsense and zero mean one thread. */
function threadPoolSize(variable: string | undefined): number {
  if (variable === undefined) return 4;
  return Number.parseInt(variable, 10) || 1;
}
