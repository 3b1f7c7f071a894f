import type { TurnableClock } from '../time/turnable-clock.ts';
import { assertSameOutcome } from './assert-same-outcome.ts';
import { ModelTrail } from './model-trail.ts';

/** One call of the stores, or a wait before the next one. */
export type Step<Stores> =
  | {
      readonly name: string;
      /** The user whom the call affects: steps of other users do not change its result. Default: all users. */
      readonly userId?: string;
      readonly apply: (stores: Stores) => unknown;
    }
  | { readonly name: 'wait'; readonly ms: number };

interface ModelRun<Stores> {
  readonly stores: Stores;
  readonly reference: Stores;
  /** The clock of both. */
  readonly clock: TurnableClock;
  readonly nextStep: () => Promise<Step<Stores>>;
  /** Leaves out of a result what the contracts leave open. */
  readonly definedPart: (result: unknown) => unknown;
}

/** Applies each of `count` steps to the reference and to the stores, and asserts that the results are equal. */
export async function assertSameSteps<Stores>(
  count: number,
  { stores, reference, clock, nextStep, definedPart }: ModelRun<Stores>,
): Promise<void> {
  const trail = new ModelTrail();
  for (let i = 1; i <= count; i += 1) {
    const step = await nextStep();
    const name = `step ${i}, ${step.name}`;
    if ('ms' in step) {
      trail.add(`${name} ${step.ms} ms`);
      clock.advance(step.ms);
      continue;
    }
    const expected = definedPart(await step.apply(reference));
    const actual = definedPart(await step.apply(stores));
    assertSameOutcome(name, { actual, expected }, trail.before(step.userId));
    trail.addResult(name, expected, step.userId);
  }
}
