/** CPU time of `work`, ms: the least of three runs. It does not include the time of other processes. */
export function workMs(work: () => void): number {
  return Math.min(...[1, 2, 3].map(() => workOnceMs(work)));
}

function workOnceMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
