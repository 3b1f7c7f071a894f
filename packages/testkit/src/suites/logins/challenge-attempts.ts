import assert from 'node:assert/strict';
import type { ChallengeContext } from '@latchhook/core/storage';
import { attemptAtNewChallenge, attemptRepeatedly } from '../../actions/code-attempts.ts';
import { expectReservation, tally } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import { TEXT_ACCOUNTS } from '../../samples/account-samples.ts';
import { ATTEMPT_LIMITS, DEFAULTS, newChallenge } from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

const { perChallenge } = ATTEMPT_LIMITS;

export const challengeAttempts: Suite<LoginFixture> = {
  name: 'challenges: attempts',
  cases: {
    'reserves perChallenge attempts, each with the number of attempts that remain': async ({
      challenges,
    }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      for (let remaining = perChallenge - 1; remaining >= 0; remaining -= 1) {
        const attempt = await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
        assert.equal(expectReservation(attempt).attemptsRemaining, remaining);
      }
      const results = await attemptRepeatedly(challenges, challenge, 3);
      assert.deepEqual(tally(results), { gone: 3 });
    },

    'returns the context that the login stored': async ({ challenges }) => {
      const rest = { version: 'v2', authTimeMs: 1_700_000_000_000 } as const;
      const actor = 'user';
      const contexts: readonly ChallengeContext[] = [
        { ...rest, accountId: 7, amr: ['pwd'], actor },
        { ...rest, accountId: null, amr: ['fed', 'hwk'], actor: 'host' },
        ...TEXT_ACCOUNTS.map((accountId) => ({ ...rest, accountId, amr: ['pwd'], actor }) as const),
      ];
      for (const [i, context] of contexts.entries()) {
        const challenge = newChallenge(`c${i}`, { userId: `u${i}`, context });
        await challenges.create(challenge);
        const attempt = await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
        assert.deepEqual(expectReservation(attempt).context, context);
      }
    },

    'returns the time of the storage clock with a reserved attempt': async ({
      challenges,
      clock,
    }) => {
      await challenges.create(newChallenge('c1'));
      clock.advance(1234);
      const attempt = await challenges.reserveAttempt(newChallenge('c1'), ATTEMPT_LIMITS);
      assert.equal(expectReservation(attempt).nowMs, clock.nowMs());
    },

    'returns outcomes of attempts that survive a JSON round trip': async ({ challenges }) => {
      for (let i = 0; i <= ATTEMPT_LIMITS.perUser; i += 1) {
        const result = await attemptAtNewChallenge(challenges, `c${i}`);
        assert.deepEqual(JSON.parse(JSON.stringify(result)), result);
      }
    },

    'reserves attempts only before ttlMs has passed': async ({ challenges, clock }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      clock.advance(DEFAULTS.challengeTtlMs - 1);
      expectReservation(await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS));
      clock.advance(1);
      const lateAttempt = await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
      assert.equal(lateAttempt.outcome, 'gone');
    },

    'finds a challenge only by user id and challenge id': async ({ challenges }) => {
      await challenges.create(newChallenge('c1'));
      for (const stranger of [
        newChallenge('never'),
        newChallenge('c1', { userId: 'user-grace' }),
      ]) {
        const result = await challenges.reserveAttempt(stranger, ATTEMPT_LIMITS);
        assert.equal(result.outcome, 'gone');
      }
    },

    'counts attempts over all connections': async ({ connections }) => {
      const [one, other] = await connections(2);
      assert.ok(one !== undefined && other !== undefined);
      const challenge = newChallenge('c1');
      await one.challenges.create(challenge);
      const first = await one.challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
      const second = await other.challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
      assert.equal(expectReservation(first).attemptsRemaining, perChallenge - 1);
      assert.equal(expectReservation(second).attemptsRemaining, perChallenge - 2);
    },

    'counts no rejected attempt towards the lock of the user': async ({ challenges }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      await attemptRepeatedly(challenges, challenge, perChallenge + 20);
      await attemptRepeatedly(challenges, newChallenge('never'), 20);
      // `perChallenge` attempts were reserved so far. The attempt that reaches `perUser` locks the user.
      const locks: boolean[] = [];
      for (let i = perChallenge + 1; i <= ATTEMPT_LIMITS.perUser; i += 1) {
        const attempt = expectReservation(await attemptAtNewChallenge(challenges, `c${i}`));
        locks.push(attempt.lockedUntilMs !== null);
      }
      assert.deepEqual(locks, [false, false, false, false, true]);
    },
  },
};
