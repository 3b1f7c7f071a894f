import assert from 'node:assert/strict';
import type { ChallengeContext } from '@latchhook/core/storage';
import { expectReservation, tally } from '../../actions/outcomes.ts';
import { loginSuite } from '../../fixtures/login-fixture.ts';
import { TEXT_ACCOUNTS } from '../../samples/account-samples.ts';
import { ATTEMPT_LIMITS, DEFAULTS, GRACE, newChallenge } from '../../samples/login-samples.ts';

const { perChallenge } = ATTEMPT_LIMITS;

export const challengeAttempts = loginSuite('challenges: attempts', {
  'reserves perChallenge attempts over all connections, and returns how many remain': async (t) => {
    const challenge = await t.challenge('c1');
    const processes = await t.connections(2);
    for (let remaining = perChallenge - 1; remaining >= 0; remaining -= 1) {
      const attempt = await (processes[remaining % 2] ?? t).attempt(challenge);
      assert.equal(expectReservation(attempt).attemptsRemaining, remaining);
    }
    const results = await t.attemptRepeatedly(challenge, 3);
    assert.deepEqual(tally(results), { gone: 3 });
  },

  'returns the context that the login stored': async (t) => {
    const rest = { version: 'v2', authTimeMs: 1_700_000_000_000 } as const;
    const actor = 'user';
    const contexts: readonly ChallengeContext[] = [
      { ...rest, accountId: 7, amr: ['pwd'], actor },
      { ...rest, accountId: null, amr: ['fed', 'hwk'], actor: 'host' },
      ...TEXT_ACCOUNTS.map((accountId) => ({ ...rest, accountId, amr: ['pwd'], actor }) as const),
    ];
    for (const [i, context] of contexts.entries()) {
      const challenge = await t.challenge(`c${i}`, { userId: `u${i}`, context });
      const attempt = await t.attempt(challenge);
      assert.deepEqual(expectReservation(attempt).context, context);
    }
  },

  'returns the time of the storage clock with a reserved attempt': async (t) => {
    await t.challenge('c1');
    t.clock.advance(1234);
    const attempt = await t.attempt(newChallenge('c1'));
    assert.equal(expectReservation(attempt).nowMs, t.clock.nowMs());
  },

  'returns outcomes of attempts that survive a JSON round trip': async (t) => {
    for (let i = 0; i <= ATTEMPT_LIMITS.perUser; i += 1) {
      const result = await t.attemptAtNewChallenge(`c${i}`);
      assert.deepEqual(JSON.parse(JSON.stringify(result)), result);
    }
  },

  'reserves attempts only before ttlMs has passed': async (t) => {
    const challenge = await t.challenge('c1');
    await t.elapseCheckingJustBefore(DEFAULTS.challengeTtlMs, async () =>
      expectReservation(await t.attempt(challenge)),
    );
    assert.equal((await t.attempt(challenge)).outcome, 'gone');
  },

  'finds a challenge only by user id and challenge id': async (t) => {
    await t.challenge('c1');
    for (const stranger of [newChallenge('never'), newChallenge('c1', { userId: GRACE })]) {
      assert.equal((await t.attempt(stranger)).outcome, 'gone');
    }
  },

  'counts no rejected attempt towards the lock of the user': async (t) => {
    const challenge = await t.challenge('c1');
    await t.attemptRepeatedly(challenge, perChallenge + 20);
    await t.attemptRepeatedly(newChallenge('never'), 20);
    // `perChallenge` attempts were reserved so far. The attempt that reaches `perUser` locks the user.
    const locks: boolean[] = [];
    for (let i = perChallenge + 1; i <= ATTEMPT_LIMITS.perUser; i += 1) {
      const attempt = expectReservation(await t.attemptAtNewChallenge(`c${i}`));
      locks.push(attempt.lockedUntilMs !== null);
    }
    assert.deepEqual(locks, [false, false, false, false, true]);
  },
});
