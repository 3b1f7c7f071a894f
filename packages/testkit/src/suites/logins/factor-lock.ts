import assert from 'node:assert/strict';
import type { CodeAttemptLimits } from '@latchhook/core/storage';
import { expectLock, expectReservation, expectSession, tally } from '../../actions/outcomes.ts';
import { type LoginFixture, loginSuite } from '../../fixtures/login-fixture.ts';
import { ADA, MINUTE_MS } from '../../samples/login-samples.ts';

const LIMITS: CodeAttemptLimits = {
  perChallenge: 5,
  perUser: 3,
  lockMs: MINUTE_MS,
  maxLockMs: 4 * MINUTE_MS,
  suspendAfter: 14,
};

export const factorLock = loginSuite('challenges: lock of the second factor', {
  'locks the factor at the perUser-th consecutive failure, over all challenges': async (t) => {
    const lockedUntil = await lockedUntilOfAttempts(t, LIMITS.perUser);
    assert.deepEqual(lockedUntil, [null, null, t.clock.nowMs() + LIMITS.lockMs]);
    for (let logins = 0; logins < 5; logins += 1) {
      const { retryAfterMs, suspended } = expectLock(await attempt(t));
      assert.deepEqual([retryAfterMs, suspended], [LIMITS.lockMs, false]);
    }
  },

  'locks the factor even if all failures are of one challenge': async (t) => {
    const challenge = await t.challenge('c1');
    const results = await t.attemptRepeatedly(challenge, 5, LIMITS);
    assert.deepEqual(tally(results), { reserved: 3, locked: 2 });
  },

  'unlocks the factor in the millisecond that the lock ends': async (t) => {
    await lockedUntilOfAttempts(t, LIMITS.perUser);
    await t.elapseCheckingJustBefore(LIMITS.lockMs, async () =>
      assert.equal(expectLock(await attempt(t)).retryAfterMs, 1),
    );
    expectReservation(await attempt(t));
  },

  'doubles the lock each time, up to maxLockMs': async (t) => {
    const lengths: number[] = [];
    for (let i = 1; i <= 4; i += 1) {
      const lockedUntil = await lockedUntilOfAttempts(t, LIMITS.perUser);
      assert.deepEqual(lockedUntil.slice(0, -1), [null, null]);
      const { retryAfterMs } = expectLock(await attempt(t));
      assert.equal(lockedUntil.at(-1), t.clock.nowMs() + retryAfterMs);
      lengths.push(retryAfterMs / MINUTE_MS);
      t.clock.advance(retryAfterMs);
    }
    assert.deepEqual(lengths, [1, 2, 4, 4]);
  },

  'counts no attempt while the factor is locked': async (t) => {
    await lockedUntilOfAttempts(t, LIMITS.perUser);
    const challenge = await t.challenge('patient');
    const rejections = await t.attemptRepeatedly(challenge, 20, LIMITS);
    assert.deepEqual(tally(rejections), { locked: 20 });
    t.clock.advance(LIMITS.lockMs);
    const afterwards = expectReservation(await t.attempt(challenge, LIMITS));
    assert.equal(afterwards.attemptsRemaining, LIMITS.perChallenge - 1);
    assert.equal(afterwards.lockedUntilMs, null);
  },

  'unlocks the factor when a code is right, even if the attempt caused the lock': async (t) => {
    await lockedUntilOfAttempts(t, LIMITS.perUser - 1);
    const challenge = await t.challenge('right');
    expectReservation(await t.attempt(challenge, LIMITS));
    expectLock(await attempt(t));
    expectSession(await t.complete(challenge, 's1', 9), 'completed');
    // Failures count from 0 again, and the next lock is as short as the first.
    const lockedUntil = await lockedUntilOfAttempts(t, LIMITS.perUser);
    assert.deepEqual(lockedUntil, [null, null, t.clock.nowMs() + LIMITS.lockMs]);
  },

  'locks the factor of one user only': async (t) => {
    await lockedUntilOfAttempts(t, LIMITS.perUser);
    const grace = { userId: 'user-grace', limits: LIMITS };
    const result = await t.attemptAtNewChallenge('of grace', grace);
    assert.equal(expectReservation(result).lockedUntilMs, null);
  },

  'suspends the factor without an end after suspendAfter failures': async (t) => {
    const lockedUntil = await attemptsUntilSuspended(t);
    assert.ok((lockedUntil ?? 0) > t.clock.nowMs(), `locked until ${lockedUntil}`);
    for (let i = 0; i < 3; i += 1) {
      const rejection = expectLock(await attempt(t));
      assert.equal(rejection.suspended, true);
      assert.ok(rejection.retryAfterMs > 0, `${rejection.retryAfterMs} ms`);
      t.clock.advance(100 * LIMITS.maxLockMs);
    }
  },

  'does not suspend the factor if the attempt that reaches suspendAfter is right': async (t) => {
    await attemptsUntilSuspended(t, LIMITS.suspendAfter - 1);
    const challenge = await t.challenge('right');
    expectReservation(await t.attempt(challenge, LIMITS));
    expectSession(await t.complete(challenge, 's1', 9), 'completed');
    assert.equal(expectReservation(await attempt(t)).lockedUntilMs, null);
  },

  'ends a lock or a suspension on unlock(), and resets the failures': async (t) => {
    await lockedUntilOfAttempts(t, LIMITS.perUser);
    await t.challenges.unlock(ADA);
    await attemptsUntilSuspended(t);
    await t.challenges.unlock(ADA);
    const lockedUntil = await lockedUntilOfAttempts(t, LIMITS.perUser);
    assert.deepEqual(lockedUntil, [null, null, t.clock.nowMs() + LIMITS.lockMs]);
  },

  'returns step_used for the last time step even after unlock()': async (t) => {
    const challenge = await t.challenge('c1');
    await t.complete(challenge, 's1', 9);
    await lockedUntilOfAttempts(t, LIMITS.perUser);
    await t.challenges.unlock(ADA);
    const next = await t.challenge('c2');
    expectReservation(await t.attempt(next, LIMITS));
    assert.equal((await t.complete(next, 's2', 9)).outcome, 'step_used');
  },

  'accepts unlock() of an unknown user and of an unlocked factor': async (t) => {
    await t.challenges.unlock('user-unheard-of');
    await t.challenges.unlock(ADA);
    expectReservation(await attempt(t));
  },
});

/** How many challenges a test case has created, so that each gets another id. */
const challengeCounts = new WeakMap<LoginFixture, number>();

function attempt(t: LoginFixture) {
  const i = (challengeCounts.get(t) ?? 0) + 1;
  challengeCounts.set(t, i);
  return t.attemptAtNewChallenge(`challenge ${i}`, { limits: LIMITS });
}

/** Reserves `count` attempts. Returns the end of the lock that each attempt sets if it fails, or `null`. */
async function lockedUntilOfAttempts(t: LoginFixture, count: number): Promise<(number | null)[]> {
  const lockedUntil: (number | null)[] = [];
  while (lockedUntil.length < count) {
    lockedUntil.push(expectReservation(await attempt(t)).lockedUntilMs);
  }
  return lockedUntil;
}

/** Reserves attempts, each after the end of the last lock. Returns the end of the lock that the last attempt sets. */
async function attemptsUntilSuspended(
  t: LoginFixture,
  count: number = LIMITS.suspendAfter,
): Promise<number | null> {
  let lockedUntilMs: number | null = null;
  for (let i = 0; i < count; i += 1) {
    if (lockedUntilMs !== null) t.clock.advance(lockedUntilMs - t.clock.nowMs());
    ({ lockedUntilMs } = expectReservation(await attempt(t)));
  }
  return lockedUntilMs;
}
