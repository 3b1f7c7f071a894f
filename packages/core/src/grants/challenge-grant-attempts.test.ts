import { describe, expect, it } from 'vitest';
import {
  answer,
  challenged,
  DEAD,
  methodsOf,
  pendingChallenge,
  RECOVERY_CODE,
  WRONG_CODE,
} from './challenge-fixture.test.support.ts';
import type { ChallengeGrantDeps } from './challenge-grant.ts';
import {
  emitted,
  type GrantFixture,
  rejectUnavailable,
  unavailable,
} from './grant-fixture.test.support.ts';

/** A code that is not that of a step around now. */
function wrongCode(fixture: GrantFixture): string {
  const near = [-1, 0, 1].map(fixture.codeIn);
  return ['000000', '111111', '222222', '333333'].find((code) => !near.includes(code)) ?? '';
}

/** How many attempts a wrong code leaves, which shows how many there were. */
async function attemptsLeftAfterOneMore(
  fixture: GrantFixture,
  challenge: string,
): Promise<unknown> {
  await answer(fixture, challenge, { code: wrongCode(fixture) }).catch(() => {});
  const event = fixture.events.findLast(({ type }) => type === 'challenge.failed');
  return event && 'attemptsRemaining' in event ? event.attemptsRemaining : undefined;
}

describe('a challenge answer uses up no attempt', () => {
  it('with a malformed code, and queries neither user store nor factors', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const nobody = { users: { findById: rejectUnavailable }, factorOf: rejectUnavailable };
    for (const code of ['', '12345', '1234567', 1_000_000, -1, 'AAAA-BBBB']) {
      const rejected = answer(fixture, challenge, { code }, nobody);
      await expect(rejected).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(await attemptsLeftAfterOneMore(fixture, challenge)).toBe(4);
  });

  it('if the claims of the host are unavailable', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const faulty = { claimsOfHost: rejectUnavailable };
    for (let i = 0; i < 12; i += 1) {
      await expect(answer(fixture, challenge, {}, faulty)).rejects.toMatchObject(unavailable);
    }
    expect(await attemptsLeftAfterOneMore(fixture, challenge)).toBe(4);
  });

  it('to a forged challenge, and does not query the user store', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const nobody = { users: { findById: rejectUnavailable } };
    await expect(answer(fixture, `${challenge}x`, {}, nobody)).rejects.toMatchObject(DEAD);
    expect(emitted(fixture)).toEqual([]);
  });

  it.each<[reason: string, change: (fixture: GrantFixture) => void]>([
    ['user_gone', (fixture) => fixture.remove()],
    ['user_disabled', (fixture) => fixture.change({ disabled: true })],
    ['factor_gone', (fixture) => fixture.change({ mfa: null })],
  ])('if rejected for %s since the password was verified', async (reason, change) => {
    const { fixture, challenge } = await pendingChallenge();
    change(fixture);
    await expect(answer(fixture, challenge)).rejects.toMatchObject(DEAD);
    expect(emitted(fixture)).toEqual([`challenge.failed: ${reason}`]);
    fixture.change({ disabled: false });
    fixture.addFactor();
    expect(await attemptsLeftAfterOneMore(fixture, challenge)).toBe(4);
  });

  it('if it asks for a scope that the user does not have', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const rejected = answer(fixture, challenge, { scopes: ['internal'] });
    await expect(rejected).rejects.toMatchObject({ code: 'invalid_scope' });
    expect(emitted(fixture)).toEqual(['challenge.failed: scope_denied']);
    expect(await attemptsLeftAfterOneMore(fixture, challenge)).toBe(4);
  });

  it.each<[part: string, replaced: (fixture: GrantFixture) => Partial<ChallengeGrantDeps>]>([
    ['the user store', () => ({ users: { findById: rejectUnavailable } })],
    ['the factor store', () => ({ factorOf: rejectUnavailable })],
    [
      'the storage',
      (fixture) => ({ challenges: { ...methodsOf(fixture), reserveAttempt: rejectUnavailable } }),
    ],
  ])('while %s is unavailable', async (_, replaced) => {
    const { fixture, challenge } = await pendingChallenge();
    await expect(answer(fixture, challenge, {}, replaced(fixture))).rejects.toBe(unavailable);
    expect(emitted(fixture)).toEqual([]);
    expect(await attemptsLeftAfterOneMore(fixture, challenge)).toBe(4);
  });
});

describe('a wrong code', () => {
  it('is rejected with the number of attempts left; after the last, the challenge has ended', async () => {
    const { fixture, challenge } = await pendingChallenge({ mfa: { attemptsPerChallenge: 2 } });
    for (const attemptsRemaining of [1, 0]) {
      const rejected = answer(fixture, challenge, { code: wrongCode(fixture) });
      const details = { attemptsRemaining };
      await expect(rejected).rejects.toMatchObject({ ...WRONG_CODE, details });
    }
    await expect(answer(fixture, challenge)).rejects.toMatchObject(DEAD);
    expect(emitted(fixture)).toEqual([
      'challenge.failed: wrong_code',
      'challenge.failed: wrong_code',
      'challenge.failed: gone',
    ]);
  });

  it('includes any recovery code if the user has none', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const rejected = answer(fixture, challenge, { code: RECOVERY_CODE });
    await expect(rejected).rejects.toMatchObject(WRONG_CODE);
  });

  it('locks the factor for all challenges once failuresBeforeLock is reached', async () => {
    const { fixture, challenge } = await pendingChallenge({
      mfa: { failuresBeforeLock: 3, lockSeconds: 60 },
    });
    const other = await challenged(fixture);
    for (const target of [challenge, challenge, other]) {
      await answer(fixture, target, { code: wrongCode(fixture) }).catch(() => {});
    }
    const untilMs = fixture.deps.clock.nowMs() + 60_000;
    expect(fixture.events.at(-1)).toMatchObject({ type: 'factor.locked', untilMs });
    fixture.turn(20_500);
    await expect(answer(fixture, other)).rejects.toMatchObject({
      code: 'too_many_requests',
      details: { retryAfterSeconds: 40 },
    });
    const rejected = { type: 'factor.rejected', retryAfterSeconds: 40, suspended: false };
    expect(fixture.events.at(-1)).toMatchObject(rejected);
    fixture.turn(39_500);
    await answer(fixture, other);
  });

  it('locks the factor, and emits factor.locked, even if a recovery code cannot be checked', async () => {
    const { fixture, challenge } = await pendingChallenge({
      mfa: { failuresBeforeLock: 3, lockSeconds: 60 },
    });
    const { factorOf, clock } = fixture.deps;
    const replaced: Partial<ChallengeGrantDeps> = {
      factorOf: async (user) => {
        const factor = await factorOf(user);
        return factor && { ...factor, consumeRecoveryCode: rejectUnavailable };
      },
    };
    for (let i = 0; i < 3; i += 1) {
      const rejected = answer(fixture, challenge, { code: RECOVERY_CODE }, replaced);
      await expect(rejected).rejects.toBe(unavailable);
    }
    const untilMs = clock.nowMs() + 60_000;
    expect(fixture.events).toMatchObject([{ type: 'factor.locked', untilMs }]);
  });

  it('includes a right code whose time step the enrolment has used up', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const { factorOf, clock } = fixture.deps;
    const usedUpToStep = Math.floor(clock.nowMs() / 30_000);
    const replaced: Partial<ChallengeGrantDeps> = {
      factorOf: async (user) => {
        const factor = await factorOf(user);
        return factor && { ...factor, usedUpToStep };
      },
    };
    await expect(answer(fixture, challenge, {}, replaced)).rejects.toMatchObject(WRONG_CODE);
    expect(emitted(fixture)).toEqual(['challenge.failed: step_used']);
    fixture.turn(30_000);
    await answer(fixture, challenge, {}, replaced);
  });
});
