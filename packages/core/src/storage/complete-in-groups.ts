import type { AttemptEnd, CompletedAttempt } from './delivery-store.ts';

/** How a store completes attempts in groups, such as partitions, each with its own transitions. */
export interface CompleteInGroupsOptions<Group> {
  /** The group of an attempt, such as the partition of its account. */
  readonly groupOf: (end: AttemptEnd) => Group;
  /** Completes the attempts of one group, and returns their outcomes in the order of `ends`. */
  readonly completeGroup: (
    group: Group,
    ends: readonly AttemptEnd[],
  ) => Promise<readonly CompletedAttempt[]>;
  /** How many groups are completed in parallel. */
  readonly concurrency: number;
}

/**
 * Completes attempts group by group. If a group fails, its attempts are `unavailable`, and the others are unaffected.
 *
 * If the first groups all fail, as many as are completed in parallel, the store is probably down: the others are
 * `unavailable` too, without a call. The first group is random, so that the next call begins with others.
 *
 * @throws the error of the first group that has failed, if all of them have
 */
export async function completeInGroups<Group>(
  ends: readonly AttemptEnd[],
  { groupOf, completeGroup, concurrency }: CompleteInGroupsOptions<Group>,
): Promise<readonly CompletedAttempt[]> {
  const groups = new Map<Group, [index: number, end: AttemptEnd][]>();
  for (const entry of ends.entries()) {
    const group = groupOf(entry[1]);
    const entries = groups.get(group);
    if (entries === undefined) groups.set(group, [entry]);
    else entries.push(entry);
  }
  const outcomes: CompletedAttempt[] = [];
  const errors: unknown[] = [];
  let hasSucceeded = false;
  const complete = async (group: Group, endsOfGroup: readonly AttemptEnd[]) => {
    if (!hasSucceeded && errors.length >= concurrency) throw errors[0];
    const completed = await completeGroup(group, endsOfGroup);
    hasSucceeded = true;
    return completed;
  };
  const first = Math.floor(groups.size * Math.random());
  // All workers share one iterator, so each group is completed once.
  const remainingGroups = [...[...groups].slice(first), ...[...groups].slice(0, first)].values();
  const worker = async () => {
    for (const [group, entries] of remainingGroups) {
      const endsOfGroup = entries.map(([, end]) => end);
      const completed = await complete(group, endsOfGroup).catch((error: unknown) => {
        errors.push(error);
        return entries.map(() => ({ outcome: 'unavailable', error }) as const);
      });
      for (const [i, [index]] of entries.entries())
        outcomes[index] = completed[i] ?? { outcome: 'stale' };
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, groups.size) }, worker));
  if (!hasSucceeded && errors.length > 0) throw errors[0];
  return outcomes;
}
