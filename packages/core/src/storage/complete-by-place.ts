import type { AttemptEnd, CompletedAttempt } from './delivery-store.ts';

/** How a store completes that keeps accounts in several places, each with transitions of its own. */
export interface CompleteByPlaceOptions<Place> {
  readonly placeOf: (end: AttemptEnd) => Place;
  /** Completes attempts of one place, in their order. */
  readonly complete: (
    place: Place,
    ends: readonly AttemptEnd[],
  ) => Promise<readonly CompletedAttempt[]>;
  /** How many places are told at once. */
  readonly atOnce: number;
}

/**
 * Completes attempts place by place: what one fails with is not what the others have done.
 *
 * @throws what a place has failed with, where all of them have
 */
export async function completeByPlace<Place>(
  ends: readonly AttemptEnd[],
  { placeOf, complete, atOnce }: CompleteByPlaceOptions<Place>,
): Promise<readonly CompletedAttempt[]> {
  const places = new Map<Place, number[]>();
  for (const [nth, end] of ends.entries()) {
    const place = placeOf(end);
    const nths = places.get(place);
    if (nths === undefined) places.set(place, [nth]);
    else nths.push(nth);
  }
  const answers: CompletedAttempt[] = [];
  const failures: unknown[] = [];
  const untold = places.entries();
  const completeNext = async () => {
    // All of them take from one iterator.
    for (const [place, nths] of untold) {
      const here = nths.flatMap((nth) => ends[nth] ?? []);
      const completed = await complete(place, here).catch((error: unknown) => {
        failures.push(error);
        return here.map(() => ({ outcome: 'unavailable', error }) as const);
      });
      for (const [at, nth] of nths.entries()) answers[nth] = completed[at] ?? { outcome: 'stale' };
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, places.size) }, completeNext));
  if (failures.length > 0 && failures.length === places.size) throw failures[0];
  return answers;
}
