import { memoryStorage } from '@latchhook/core';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import { assertSameOutcome } from '../../model/assert-same-outcome.ts';
import { ModelTrail } from '../../model/model-trail.ts';
import { RandomTransitions } from '../../model/random-transitions.ts';
import type { Suite } from '../../suite.ts';

const STEPS = 1000;

/** Finds interactions between transitions that no other suite covers. */
export const loginModel: Suite<LoginFixture> = {
  name: 'sessions and challenges: same outcomes as the reference',
  cases: Object.fromEntries(
    [1, 2, 3].map((seed) => [
      `matches the reference at every step of ${STEPS} random transitions (seed ${seed})`,
      (fixture: LoginFixture) => assertSameAsReference(fixture, seed),
    ]),
  ),
};

async function assertSameAsReference(
  { storage, clock }: LoginFixture,
  seed: number,
): Promise<void> {
  const reference = memoryStorage({ clock });
  const transitions = new RandomTransitions(seed, (userId) => reference.sessions.list(userId));
  const trail = new ModelTrail();
  for (let i = 1; i <= STEPS; i += 1) {
    const step = await transitions.next();
    // Never two steps within one millisecond: their order would be undefined.
    clock.advance('ms' in step ? step.ms : 1);
    const name = `step ${i}, ${step.name}`;
    if ('ms' in step) {
      trail.note(`${name} ${step.ms} ms`);
      continue;
    }
    const expected = withoutUndefinedParts(await step.apply(reference));
    const actual = withoutUndefinedParts(await step.apply(storage));
    assertSameOutcome(name, { actual, expected }, trail.before(step.userId));
    trail.noteResult(name, expected, step.userId);
  }
}

/** The contracts leave open how long an ended session is remembered, and the `retryAfterMs` of a suspension. */
function withoutUndefinedParts(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('outcome' in result)) return result;
  const { outcome } = result;
  if (outcome === 'revoked' || outcome === 'expired' || outcome === 'unknown') {
    return { outcome: 'rejected' };
  }
  if ('suspended' in result && result.suspended === true) return { outcome, suspended: true };
  return result;
}
