import assert from 'node:assert/strict';
import type { CodeAttemptLimits } from '@latchhook/core/storage';
import { attemptAtNewChallenge, attemptRepeatedly } from '../../actions/code-attempts.ts';
import { expectLock, expectReservation, expectSession, tally } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import { ADA, completeRequest, MINUTE_MS, newChallenge } from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

const LIMITS: CodeAttemptLimits = {
  perChallenge: 5,
  perUser: 3,
  lockMs: MINUTE_MS,
  maxLockMs: 4 * MINUTE_MS,
  suspendAfter: 14,
};

export const factorLock: Suite<LoginFixture> = {
  name: 'challenges: lock of the second factor',
  cases: {
    'locks the factor at the perUser-th consecutive failure, over all challenges': async (
      fixture,
    ) => {
      const lockedUntil = await lockedUntilOfAttempts(fixture, LIMITS.perUser);
      assert.deepEqual(lockedUntil, [null, null, fixture.clock.nowMs() + LIMITS.lockMs]);
      const rejection = expectLock(await attempt(fixture));
      assert.equal(rejection.retryAfterMs, LIMITS.lockMs);
      assert.equal(rejection.suspended, false);
    },

    'locks the factor even if all failures are of one challenge': async ({ challenges }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      const results = await attemptRepeatedly(challenges, challenge, 5, LIMITS);
      assert.deepEqual(tally(results), { reserved: 3, locked: 2 });
    },

    'unlocks the factor in the millisecond that the lock ends': async (fixture) => {
      await lockedUntilOfAttempts(fixture, LIMITS.perUser);
      fixture.clock.advance(LIMITS.lockMs - 1);
      assert.equal(expectLock(await attempt(fixture)).retryAfterMs, 1);
      fixture.clock.advance(1);
      expectReservation(await attempt(fixture));
    },

    'doubles the lock each time, up to maxLockMs': async (fixture) => {
      const lengths: number[] = [];
      for (let i = 1; i <= 4; i += 1) {
        const lockedUntil = await lockedUntilOfAttempts(fixture, LIMITS.perUser);
        assert.deepEqual(lockedUntil.slice(0, -1), [null, null]);
        const { retryAfterMs } = expectLock(await attempt(fixture));
        assert.equal(lockedUntil.at(-1), fixture.clock.nowMs() + retryAfterMs);
        lengths.push(retryAfterMs / MINUTE_MS);
        fixture.clock.advance(retryAfterMs);
      }
      assert.deepEqual(lengths, [1, 2, 4, 4]);
    },

    'counts no attempt while the factor is locked': async (fixture) => {
      const { challenges, clock } = fixture;
      await lockedUntilOfAttempts(fixture, LIMITS.perUser);
      const challenge = newChallenge('patient');
      await challenges.create(challenge);
      const rejections = await attemptRepeatedly(challenges, challenge, 20, LIMITS);
      assert.deepEqual(tally(rejections), { locked: 20 });
      clock.advance(LIMITS.lockMs);
      const afterwards = expectReservation(await challenges.reserveAttempt(challenge, LIMITS));
      assert.equal(afterwards.attemptsRemaining, LIMITS.perChallenge - 1);
      assert.equal(afterwards.lockedUntilMs, null);
    },

    'keeps the factor locked when its user logs in again': async (fixture) => {
      await lockedUntilOfAttempts(fixture, LIMITS.perUser);
      for (let i = 0; i < 5; i += 1) expectLock(await attempt(fixture));
    },

    'unlocks the factor when a code is right, even if the attempt caused the lock': async (
      fixture,
    ) => {
      const { challenges } = fixture;
      await lockedUntilOfAttempts(fixture, LIMITS.perUser - 1);
      const challenge = newChallenge('right');
      await challenges.create(challenge);
      expectReservation(await challenges.reserveAttempt(challenge, LIMITS));
      expectLock(await attempt(fixture));
      expectSession(await challenges.complete(completeRequest(challenge, 's1', 9)), 'completed');
      // Failures count from 0 again, and the next lock is as short as the first.
      const lockedUntil = await lockedUntilOfAttempts(fixture, LIMITS.perUser);
      assert.deepEqual(lockedUntil, [null, null, fixture.clock.nowMs() + LIMITS.lockMs]);
    },

    'locks the factor of one user only': async (fixture) => {
      await lockedUntilOfAttempts(fixture, LIMITS.perUser);
      const grace = { userId: 'user-grace', limits: LIMITS };
      const result = await attemptAtNewChallenge(fixture.challenges, 'of grace', grace);
      assert.equal(expectReservation(result).lockedUntilMs, null);
    },

    'suspends the factor without an end after suspendAfter failures': async (fixture) => {
      const { clock } = fixture;
      const lockedUntil = await attemptsUntilSuspended(fixture);
      assert.ok((lockedUntil ?? 0) > clock.nowMs(), `locked until ${lockedUntil}`);
      for (let i = 0; i < 3; i += 1) {
        const rejection = expectLock(await attempt(fixture));
        assert.equal(rejection.suspended, true);
        assert.ok(rejection.retryAfterMs > 0, `${rejection.retryAfterMs} ms`);
        clock.advance(100 * LIMITS.maxLockMs);
      }
    },

    'does not suspend the factor if the last attempt was right': async (fixture) => {
      await attemptsUntilSuspended(fixture, LIMITS.suspendAfter - 1);
      const challenge = newChallenge('right');
      await fixture.challenges.create(challenge);
      expectReservation(await fixture.challenges.reserveAttempt(challenge, LIMITS));
      expectSession(
        await fixture.challenges.complete(completeRequest(challenge, 's1', 9)),
        'completed',
      );
      assert.equal(expectReservation(await attempt(fixture)).lockedUntilMs, null);
    },

    'ends a lock and resets the failures on unlock()': async (fixture) => {
      await lockedUntilOfAttempts(fixture, LIMITS.perUser);
      await fixture.challenges.unlock(ADA);
      const lockedUntil = await lockedUntilOfAttempts(fixture, LIMITS.perUser);
      assert.deepEqual(lockedUntil, [null, null, fixture.clock.nowMs() + LIMITS.lockMs]);
    },

    'ends a suspension on unlock()': async (fixture) => {
      await attemptsUntilSuspended(fixture);
      await fixture.challenges.unlock(ADA);
      const lockedUntil = await lockedUntilOfAttempts(fixture, LIMITS.perUser);
      assert.deepEqual(lockedUntil, [null, null, fixture.clock.nowMs() + LIMITS.lockMs]);
    },

    'returns step_used for the last time step even after unlock()': async (fixture) => {
      const { challenges } = fixture;
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      await challenges.complete(completeRequest(challenge, 's1', 9));
      await lockedUntilOfAttempts(fixture, LIMITS.perUser);
      await challenges.unlock(ADA);
      const next = newChallenge('c2');
      await challenges.create(next);
      expectReservation(await challenges.reserveAttempt(next, LIMITS));
      assert.equal(
        (await challenges.complete(completeRequest(next, 's2', 9))).outcome,
        'step_used',
      );
    },

    'accepts unlock() of an unknown user and of an unlocked factor': async (fixture) => {
      await fixture.challenges.unlock('user-unheard-of');
      await fixture.challenges.unlock(ADA);
      expectReservation(await attempt(fixture));
    },
  },
};

/** How many challenges a test case has created, so that each gets another id. */
const challengeCounts = new WeakMap<LoginFixture, number>();

function attempt(fixture: LoginFixture) {
  const i = (challengeCounts.get(fixture) ?? 0) + 1;
  challengeCounts.set(fixture, i);
  return attemptAtNewChallenge(fixture.challenges, `challenge ${i}`, { limits: LIMITS });
}

/** Reserves `count` attempts. Returns the end of the lock that each attempt sets if it fails, or `null`. */
async function lockedUntilOfAttempts(
  fixture: LoginFixture,
  count: number,
): Promise<(number | null)[]> {
  const lockedUntil: (number | null)[] = [];
  while (lockedUntil.length < count) {
    lockedUntil.push(expectReservation(await attempt(fixture)).lockedUntilMs);
  }
  return lockedUntil;
}

/** Reserves attempts, each after the end of the last lock. Returns the end of the lock that the last attempt sets. */
async function attemptsUntilSuspended(
  fixture: LoginFixture,
  count: number = LIMITS.suspendAfter,
): Promise<number | null> {
  let lockedUntilMs: number | null = null;
  for (let i = 0; i < count; i += 1) {
    if (lockedUntilMs !== null) fixture.clock.advance(lockedUntilMs - fixture.clock.nowMs());
    ({ lockedUntilMs } = expectReservation(await attempt(fixture)));
  }
  return lockedUntilMs;
}
