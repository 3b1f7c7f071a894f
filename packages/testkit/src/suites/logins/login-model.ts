import { memoryStorage } from '@latchhook/core';
import type { LoginFixture, LoginStores } from '../../fixtures/login-fixture.ts';
import { assertSameSteps } from '../../model/assert-same-steps.ts';
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

function assertSameAsReference({ storage, clock }: LoginFixture, seed: number): Promise<void> {
  const reference = memoryStorage({ clock });
  const transitions = new RandomTransitions(seed, (userId) => reference.sessions.list(userId));
  return assertSameSteps<LoginStores>(STEPS, {
    stores: storage,
    reference,
    clock,
    async nextStep() {
      const step = await transitions.next();
      // Never two calls within one millisecond: their order would be undefined.
      if ('apply' in step) clock.advance(1);
      return step;
    },
    definedPart: withoutUndefinedParts,
  });
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
