/** The most starts in any window of this length. */
export function mostInAnyWindow(startedAtMs: readonly number[], windowMs: number): number {
  const sorted = startedAtMs.toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [i, atMs] of sorted.entries()) {
    while ((sorted[first] ?? atMs) <= atMs - windowMs) first += 1;
    most = Math.max(most, i - first + 1);
  }
  return most;
}
