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
 * If the first groups all fail, `concurrency` of them, the store is probably down: the others are `unavailable` too,
 * without a call. The first group is random, so that the next call begins with others.
 *
 * @throws the error of the first group that has failed, if all of them have
 */
export async function completeInGroups<Group>(
  ends: readonly AttemptEnd[],
  { groupOf, completeGroup, concurrency }: CompleteInGroupsOptions<Group>,
): Promise<readonly CompletedAttempt[]> {
  /** By group, the positions of its attempts in `ends`. */
  const positions = new Map<Group, number[]>();
  for (const [position, end] of ends.entries()) {
    const group = groupOf(end);
    const ofGroup = positions.get(group);
    if (ofGroup === undefined) positions.set(group, [position]);
    else ofGroup.push(position);
  }
  const errors: unknown[] = [];
  let hasSucceeded = false;

  async function complete(
    group: Group,
    endsOfGroup: readonly AttemptEnd[],
  ): Promise<readonly CompletedAttempt[]> {
    try {
      const isStoreDown = !hasSucceeded && errors.length >= concurrency;
      if (isStoreDown) throw errors[0];
      const completed = await completeGroup(group, endsOfGroup);
      hasSucceeded = true;
      return completed;
    } catch (error) {
      errors.push(error);
      return endsOfGroup.map(() => ({ outcome: 'unavailable', error }));
    }
  }

  const groups = [...positions];
  const first = Math.floor(groups.length * Math.random());
  // All workers share this iterator, so each group is completed once.
  const remainingGroups = [...groups.slice(first), ...groups.slice(0, first)].values();
  const outcomes: CompletedAttempt[] = [];
  async function completeRemaining(): Promise<void> {
    for (const [group, positionsOfGroup] of remainingGroups) {
      const endsOfGroup = positionsOfGroup.flatMap((position) => ends[position] ?? []);
      const completed = await complete(group, endsOfGroup);
      for (const [i, position] of positionsOfGroup.entries()) {
        // A store that breaks its contract may return fewer outcomes: a missing one counts as stale, and is sent again.
        outcomes[position] = completed[i] ?? { outcome: 'stale' };
      }
    }
  }
  const workers = Math.min(concurrency, groups.length);
  await Promise.all(Array.from({ length: workers }, completeRemaining));
  if (!hasSucceeded && errors.length > 0) throw errors[0];
  return outcomes;
}
