import { describe, expect, it } from 'vitest';
import {
  answer,
  createChallenge,
  INVALID_CHALLENGE,
  methodsOf,
  pendingChallenge,
  RECOVERY_CODE,
  TOTP_STEP_MS,
  WRONG_CODE,
} from './challenge-fixture.test.support.ts';
import type { ChallengeGrantDeps } from './challenge-grant.ts';
import {
  emittedEvents,
  type GrantFixture,
  rejectUnavailable,
  unavailable,
} from './grant-fixture.test.support.ts';

const LOCK = { failuresBeforeLock: 3, lockSeconds: 60 };

/** A code of none of the current, previous and next time steps. */
function wrongCode(fixture: GrantFixture): string {
  const rightCodes = [-1, 0, 1].map(fixture.codeIn);
  return ['000000', '111111', '222222', '333333'].find((code) => !rightCodes.includes(code)) ?? '';
}

/** Sends a wrong code, and returns how many attempts remain: one less than before. */
async function remainingAfterWrongCode(fixture: GrantFixture, challenge: string): Promise<unknown> {
  await answer(fixture, challenge, { code: wrongCode(fixture) }).catch(() => {});
  const event = fixture.events.findLast(({ type }) => type === 'challenge.failed');
  return event && 'attemptsRemaining' in event ? event.attemptsRemaining : undefined;
}

describe('an answer to a challenge', () => {
  it('costs no attempt, and queries neither user store nor factor, if its code is malformed', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const failingDeps = { users: { findById: rejectUnavailable }, factorOf: rejectUnavailable };
    for (const code of ['', '12345', '1234567', 1_000_000, -1, 'AAAA-BBBB']) {
      const rejection = answer(fixture, challenge, { code }, failingDeps);
      await expect(rejection).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(await remainingAfterWrongCode(fixture, challenge)).toBe(4);
  });

  it('costs no attempt if the claims of the host are unavailable', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const failingDeps = { claimsOfHost: rejectUnavailable };
    // More answers than a challenge has attempts (5), and than lock the factor (10).
    for (let i = 0; i < 12; i += 1) {
      await expect(answer(fixture, challenge, {}, failingDeps)).rejects.toMatchObject(unavailable);
    }
    expect(await remainingAfterWrongCode(fixture, challenge)).toBe(4);
  });

  it('is rejected without a query of the user store if the challenge is forged', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const failingDeps = { users: { findById: rejectUnavailable } };
    await expect(answer(fixture, `${challenge}x`, {}, failingDeps)).rejects.toMatchObject(
      INVALID_CHALLENGE,
    );
    expect(emittedEvents(fixture)).toEqual([]);
  });

  it.each<[reason: string, change: (fixture: GrantFixture) => void]>([
    ['user_gone', (fixture) => fixture.removeUser()],
    ['user_disabled', (fixture) => fixture.changeUser({ disabled: true })],
    ['factor_gone', (fixture) => fixture.changeUser({ mfa: null })],
  ])('costs no attempt if it is rejected for %s', async (reason, change) => {
    const { fixture, challenge } = await pendingChallenge();
    change(fixture);
    await expect(answer(fixture, challenge)).rejects.toMatchObject(INVALID_CHALLENGE);
    expect(emittedEvents(fixture)).toEqual([`challenge.failed: ${reason}`]);
    fixture.changeUser({ disabled: false });
    fixture.addFactor();
    expect(await remainingAfterWrongCode(fixture, challenge)).toBe(4);
  });

  it('costs no attempt if it requests a scope that the user does not have', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const rejection = answer(fixture, challenge, { scopes: ['internal'] });
    await expect(rejection).rejects.toMatchObject({ code: 'invalid_scope' });
    expect(emittedEvents(fixture)).toEqual(['challenge.failed: scope_denied']);
    expect(await remainingAfterWrongCode(fixture, challenge)).toBe(4);
  });

  it.each<[part: string, replacedDeps: (fixture: GrantFixture) => Partial<ChallengeGrantDeps>]>([
    ['the user store', () => ({ users: { findById: rejectUnavailable } })],
    ['the factor store', () => ({ factorOf: rejectUnavailable })],
    [
      'the storage',
      (fixture) => ({ challenges: { ...methodsOf(fixture), reserveAttempt: rejectUnavailable } }),
    ],
  ])('costs no attempt if %s is unavailable', async (_, replacedDeps) => {
    const { fixture, challenge } = await pendingChallenge();
    await expect(answer(fixture, challenge, {}, replacedDeps(fixture))).rejects.toBe(unavailable);
    expect(emittedEvents(fixture)).toEqual([]);
    expect(await remainingAfterWrongCode(fixture, challenge)).toBe(4);
  });
});

describe('the code of an answer to a challenge', () => {
  it('is rejected with attemptsRemaining if it is wrong, and ends the challenge at 0', async () => {
    const { fixture, challenge } = await pendingChallenge({ mfa: { attemptsPerChallenge: 2 } });
    for (const attemptsRemaining of [1, 0]) {
      const rejection = answer(fixture, challenge, { code: wrongCode(fixture) });
      const details = { attemptsRemaining };
      await expect(rejection).rejects.toMatchObject({ ...WRONG_CODE, details });
    }
    await expect(answer(fixture, challenge)).rejects.toMatchObject(INVALID_CHALLENGE);
    expect(emittedEvents(fixture)).toEqual([
      'challenge.failed: wrong_code',
      'challenge.failed: wrong_code',
      'challenge.failed: gone',
    ]);
  });

  it('is wrong if it is a recovery code and the user has none', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const rejection = answer(fixture, challenge, { code: RECOVERY_CODE });
    await expect(rejection).rejects.toMatchObject(WRONG_CODE);
  });

  it('locks the factor for all challenges once it was wrong failuresBeforeLock times', async () => {
    const { fixture, challenge } = await pendingChallenge({ mfa: LOCK });
    const otherChallenge = await createChallenge(fixture);
    for (const target of [challenge, challenge, otherChallenge]) {
      await answer(fixture, target, { code: wrongCode(fixture) }).catch(() => {});
    }
    const untilMs = fixture.deps.clock.nowMs() + 1000 * LOCK.lockSeconds;
    expect(fixture.events.at(-1)).toMatchObject({ type: 'factor.locked', untilMs });
    // Even a right code is rejected. Of the lock, 39.5 s are left, rounded up.
    fixture.advance(20_500);
    await expect(answer(fixture, otherChallenge)).rejects.toMatchObject({
      code: 'too_many_requests',
      details: { retryAfterSeconds: 40 },
    });
    expect(fixture.events.at(-1)).toMatchObject({
      type: 'factor.rejected',
      retryAfterSeconds: 40,
      suspended: false,
    });
    // Once the lock has ended, a right code is accepted.
    fixture.advance(untilMs - fixture.deps.clock.nowMs());
    await answer(fixture, otherChallenge);
  });

  it('locks the factor, and emits factor.locked, even if the code cannot be checked', async () => {
    const { fixture, challenge } = await pendingChallenge({ mfa: LOCK });
    const { factorOf, clock } = fixture.deps;
    const replacedDeps: Partial<ChallengeGrantDeps> = {
      factorOf: async (user) => {
        const factor = await factorOf(user);
        return factor && { ...factor, consumeRecoveryCode: rejectUnavailable };
      },
    };
    for (let i = 0; i < LOCK.failuresBeforeLock; i += 1) {
      const rejection = answer(fixture, challenge, { code: RECOVERY_CODE }, replacedDeps);
      await expect(rejection).rejects.toBe(unavailable);
    }
    const untilMs = clock.nowMs() + 1000 * LOCK.lockSeconds;
    expect(fixture.events).toMatchObject([{ type: 'factor.locked', untilMs }]);
  });

  it('is wrong if the enrolment has used up its time step', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const { factorOf, clock } = fixture.deps;
    const usedUpToStep = Math.floor(clock.nowMs() / TOTP_STEP_MS);
    const replacedDeps: Partial<ChallengeGrantDeps> = {
      factorOf: async (user) => {
        const factor = await factorOf(user);
        return factor && { ...factor, usedUpToStep };
      },
    };
    await expect(answer(fixture, challenge, {}, replacedDeps)).rejects.toMatchObject(WRONG_CODE);
    expect(emittedEvents(fixture)).toEqual(['challenge.failed: step_used']);
    fixture.advance(TOTP_STEP_MS);
    await answer(fixture, challenge, {}, replacedDeps);
  });
});
