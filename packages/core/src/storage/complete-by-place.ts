import type { AttemptEnd, CompletedAttempt } from './delivery-store.ts';

/**
 * How a store completes attempts if it spreads accounts over several places, such as partitions, each with its own
 * transitions.
 */
export interface CompleteByPlaceOptions<Place> {
  readonly placeOf: (end: AttemptEnd) => Place;
  /** Completes the attempts of one place, in their order. */
  readonly complete: (
    place: Place,
    ends: readonly AttemptEnd[],
  ) => Promise<readonly CompletedAttempt[]>;
  /** How many places are called in parallel. */
  readonly atOnce: number;
}

/**
 * Completes attempts place by place. The attempts of a place that fails are `unavailable`; the others are unaffected.
 *
 * @throws the error of the first place that has failed, if all of them have
 */
export async function completeByPlace<Place>(
  ends: readonly AttemptEnd[],
  { placeOf, complete, atOnce }: CompleteByPlaceOptions<Place>,
): Promise<readonly CompletedAttempt[]> {
  const places = new Map<Place, number[]>();
  for (const [index, end] of ends.entries()) {
    const place = placeOf(end);
    const indexes = places.get(place);
    if (indexes === undefined) places.set(place, [index]);
    else indexes.push(index);
  }
  const answers: CompletedAttempt[] = [];
  const failures: unknown[] = [];
  const remaining = places.entries();
  const completeNext = async () => {
    // All workers share one iterator, so each place is completed once.
    for (const [place, indexes] of remaining) {
      const here = indexes.flatMap((index) => ends[index] ?? []);
      const completed = await complete(place, here).catch((error: unknown) => {
        failures.push(error);
        return here.map(() => ({ outcome: 'unavailable', error }) as const);
      });
      for (const [at, index] of indexes.entries())
        answers[index] = completed[at] ?? { outcome: 'stale' };
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, places.size) }, completeNext));
  if (failures.length > 0 && failures.length === places.size) throw failures[0];
  return answers;
}
