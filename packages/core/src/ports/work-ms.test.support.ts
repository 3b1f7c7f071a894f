/**
 * How long the processor works on something, ms: the least of three times, and without the time that other
 * processes have it.
 */
export function workMs(work: () => void): number {
  return Math.min(...[1, 2, 3].map(() => workOnceMs(work)));
}

function workOnceMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
