import assert from 'node:assert/strict';
import type { CodeAttemptLimits } from '@latchhook/core/storage';
import { attemptAtNew, attemptRepeatedly } from '../../actions/code-attempts.ts';
import { lockOf, reservationOf, sessionOf, tally } from '../../actions/outcomes.ts';
import { ADA, answering, MINUTE_MS, newChallenge } from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';
import type { LoginTrial } from '../../trials/login-trial.ts';

const LIMITS: CodeAttemptLimits = {
  perChallenge: 5,
  perUser: 3,
  lockMs: MINUTE_MS,
  maxLockMs: 4 * MINUTE_MS,
  suspendAfter: 14,
};

export const factorLock: Suite<LoginTrial> = {
  name: 'factor: lock after too many attempts',
  claims: {
    'follows the perUser-th consecutive attempt, over all challenges': async (trial) => {
      const lockedUntil = await lockedUntilOfAttempts(trial, LIMITS.perUser);
      assert.deepEqual(lockedUntil, [null, null, trial.clock.nowMs() + LIMITS.lockMs]);
      const refused = lockOf(await attempt(trial));
      assert.equal(refused.retryAfterMs, LIMITS.lockMs);
      assert.equal(refused.suspended, false);
    },

    'also follows attempts at a single challenge': async ({ challenges }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      const answers = await attemptRepeatedly(challenges, challenge, 5, LIMITS);
      assert.deepEqual(tally(answers), { reserved: 3, locked: 2 });
    },

    'lasts to the millisecond, exclusive': async (trial) => {
      await lockedUntilOfAttempts(trial, LIMITS.perUser);
      trial.clock.advance(LIMITS.lockMs - 1);
      assert.equal(lockOf(await attempt(trial)).retryAfterMs, 1);
      trial.clock.advance(1);
      reservationOf(await attempt(trial));
    },

    'is twice as long each time, up to the longest': async (trial) => {
      const lengths: number[] = [];
      for (let nth = 1; nth <= 4; nth += 1) {
        const lockedUntil = await lockedUntilOfAttempts(trial, LIMITS.perUser);
        assert.deepEqual(lockedUntil.slice(0, -1), [null, null]);
        const { retryAfterMs } = lockOf(await attempt(trial));
        assert.equal(lockedUntil.at(-1), trial.clock.nowMs() + retryAfterMs);
        lengths.push(retryAfterMs / MINUTE_MS);
        trial.clock.advance(retryAfterMs);
      }
      assert.deepEqual(lengths, [1, 2, 4, 4]);
    },

    'costs nothing while it holds': async (trial) => {
      const { challenges, clock } = trial;
      await lockedUntilOfAttempts(trial, LIMITS.perUser);
      const challenge = newChallenge('patient');
      await challenges.create(challenge);
      const refusals = await attemptRepeatedly(challenges, challenge, 20, LIMITS);
      assert.deepEqual(tally(refusals), { locked: 20 });
      clock.advance(LIMITS.lockMs);
      const afterwards = reservationOf(await challenges.reserveAttempt(challenge, LIMITS));
      assert.equal(afterwards.attemptsRemaining, LIMITS.perChallenge - 1);
      assert.equal(afterwards.lockedUntilMs, null);
    },

    'is not lifted by another login': async (trial) => {
      await lockedUntilOfAttempts(trial, LIMITS.perUser);
      for (let nth = 0; nth < 5; nth += 1) lockOf(await attempt(trial));
    },

    'is lifted by the right code, even of the attempt that brought it': async (trial) => {
      const { challenges } = trial;
      await lockedUntilOfAttempts(trial, LIMITS.perUser - 1);
      const challenge = newChallenge('right');
      await challenges.create(challenge);
      reservationOf(await challenges.reserveAttempt(challenge, LIMITS));
      lockOf(await attempt(trial));
      sessionOf(await challenges.complete(answering(challenge, 's1', 9)), 'completed');
      // Failures count from 0 again, and the next lock is as short as the first.
      const lockedUntil = await lockedUntilOfAttempts(trial, LIMITS.perUser);
      assert.deepEqual(lockedUntil, [null, null, trial.clock.nowMs() + LIMITS.lockMs]);
    },

    'applies to one user only': async (trial) => {
      await lockedUntilOfAttempts(trial, LIMITS.perUser);
      const grace = { userId: 'user-grace', limits: LIMITS };
      const answer = await attemptAtNew(trial.challenges, 'of grace', grace);
      assert.equal(reservationOf(answer).lockedUntilMs, null);
    },

    'becomes a suspension that no time lifts': async (trial) => {
      const { clock } = trial;
      const lockedUntil = await attemptsUntilSuspended(trial);
      assert.ok((lockedUntil ?? 0) > clock.nowMs(), `locked until ${lockedUntil}`);
      for (let nth = 0; nth < 3; nth += 1) {
        const refused = lockOf(await attempt(trial));
        assert.equal(refused.suspended, true);
        assert.ok(refused.retryAfterMs > 0, `${refused.retryAfterMs} ms`);
        clock.advance(100 * LIMITS.maxLockMs);
      }
    },

    'does not become a suspension if the last attempt was right': async (trial) => {
      await attemptsUntilSuspended(trial, LIMITS.suspendAfter - 1);
      const challenge = newChallenge('right');
      await trial.challenges.create(challenge);
      reservationOf(await trial.challenges.reserveAttempt(challenge, LIMITS));
      sessionOf(await trial.challenges.complete(answering(challenge, 's1', 9)), 'completed');
      assert.equal(reservationOf(await attempt(trial)).lockedUntilMs, null);
    },

    'is lifted by unlock, and the failures are forgotten': async (trial) => {
      await lockedUntilOfAttempts(trial, LIMITS.perUser);
      await trial.challenges.unlock(ADA);
      const lockedUntil = await lockedUntilOfAttempts(trial, LIMITS.perUser);
      assert.deepEqual(lockedUntil, [null, null, trial.clock.nowMs() + LIMITS.lockMs]);
    },

    'is lifted by unlock even if it is a suspension': async (trial) => {
      await attemptsUntilSuspended(trial);
      await trial.challenges.unlock(ADA);
      const lockedUntil = await lockedUntilOfAttempts(trial, LIMITS.perUser);
      assert.deepEqual(lockedUntil, [null, null, trial.clock.nowMs() + LIMITS.lockMs]);
    },

    'is lifted by unlock, which leaves the last time step taken': async (trial) => {
      const { challenges } = trial;
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      await challenges.complete(answering(challenge, 's1', 9));
      await lockedUntilOfAttempts(trial, LIMITS.perUser);
      await challenges.unlock(ADA);
      const next = newChallenge('c2');
      await challenges.create(next);
      reservationOf(await challenges.reserveAttempt(next, LIMITS));
      assert.equal((await challenges.complete(answering(next, 's2', 9))).outcome, 'step_used');
    },

    'may be absent when unlock is called': async (trial) => {
      await trial.challenges.unlock('user-unheard-of');
      await trial.challenges.unlock(ADA);
      reservationOf(await attempt(trial));
    },
  },
};

/** Gives every challenge of a claim another id. */
const counts = new WeakMap<LoginTrial, number>();

function attempt(trial: LoginTrial) {
  const nth = (counts.get(trial) ?? 0) + 1;
  counts.set(trial, nth);
  return attemptAtNew(trial.challenges, `challenge ${nth}`, { limits: LIMITS });
}

/** Makes `count` attempts; answers for each until when it locks the factor if it fails. */
async function lockedUntilOfAttempts(trial: LoginTrial, count: number): Promise<(number | null)[]> {
  const lockedUntil: (number | null)[] = [];
  while (lockedUntil.length < count) {
    lockedUntil.push(reservationOf(await attempt(trial)).lockedUntilMs);
  }
  return lockedUntil;
}

/** Makes attempts, waiting for each lock to end; answers until when the last one locks. */
async function attemptsUntilSuspended(
  trial: LoginTrial,
  count: number = LIMITS.suspendAfter,
): Promise<number | null> {
  let lockedUntilMs: number | null = null;
  for (let nth = 0; nth < count; nth += 1) {
    if (lockedUntilMs !== null) trial.clock.advance(lockedUntilMs - trial.clock.nowMs());
    ({ lockedUntilMs } = reservationOf(await attempt(trial)));
  }
  return lockedUntilMs;
}
