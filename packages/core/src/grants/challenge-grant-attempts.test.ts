import { describe, expect, it } from 'vitest';
import {
  answer,
  createChallenge,
  INVALID_CHALLENGE,
  methodsOf,
  pendingChallenge,
  RECOVERY_CODE,
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
const STEP_MS = 30_000;

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

describe('an answer that costs no attempt', () => {
  it('is a malformed code, for which neither the user store nor the factor is queried', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const nobody = { users: { findById: rejectUnavailable }, factorOf: rejectUnavailable };
    for (const code of ['', '12345', '1234567', 1_000_000, -1, 'AAAA-BBBB']) {
      const rejected = answer(fixture, challenge, { code }, nobody);
      await expect(rejected).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(await remainingAfterWrongCode(fixture, challenge)).toBe(4);
  });

  it('is one for which the claims of the host are unavailable', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const faulty = { claimsOfHost: rejectUnavailable };
    for (let i = 0; i < 12; i += 1) {
      await expect(answer(fixture, challenge, {}, faulty)).rejects.toMatchObject(unavailable);
    }
    expect(await remainingAfterWrongCode(fixture, challenge)).toBe(4);
  });

  it('is one to a forged challenge, for which the user store is not queried', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const nobody = { users: { findById: rejectUnavailable } };
    await expect(answer(fixture, `${challenge}x`, {}, nobody)).rejects.toMatchObject(
      INVALID_CHALLENGE,
    );
    expect(emittedEvents(fixture)).toEqual([]);
  });

  it.each<[reason: string, change: (fixture: GrantFixture) => void]>([
    ['user_gone', (fixture) => fixture.remove()],
    ['user_disabled', (fixture) => fixture.change({ disabled: true })],
    ['factor_gone', (fixture) => fixture.change({ mfa: null })],
  ])(
    'is one that is rejected for %s, which happened after the password was verified',
    async (reason, change) => {
      const { fixture, challenge } = await pendingChallenge();
      change(fixture);
      await expect(answer(fixture, challenge)).rejects.toMatchObject(INVALID_CHALLENGE);
      expect(emittedEvents(fixture)).toEqual([`challenge.failed: ${reason}`]);
      fixture.change({ disabled: false });
      fixture.addFactor();
      expect(await remainingAfterWrongCode(fixture, challenge)).toBe(4);
    },
  );

  it('is one that requests a scope that the user does not have', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const rejected = answer(fixture, challenge, { scopes: ['internal'] });
    await expect(rejected).rejects.toMatchObject({ code: 'invalid_scope' });
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
  ])('is one that is rejected because %s is unavailable', async (_, replacedDeps) => {
    const { fixture, challenge } = await pendingChallenge();
    await expect(answer(fixture, challenge, {}, replacedDeps(fixture))).rejects.toBe(unavailable);
    expect(emittedEvents(fixture)).toEqual([]);
    expect(await remainingAfterWrongCode(fixture, challenge)).toBe(4);
  });
});

describe('a wrong code', () => {
  it('is rejected with the number of remaining attempts, the last of which ends the challenge', async () => {
    const { fixture, challenge } = await pendingChallenge({ mfa: { attemptsPerChallenge: 2 } });
    for (const attemptsRemaining of [1, 0]) {
      const rejected = answer(fixture, challenge, { code: wrongCode(fixture) });
      const details = { attemptsRemaining };
      await expect(rejected).rejects.toMatchObject({ ...WRONG_CODE, details });
    }
    await expect(answer(fixture, challenge)).rejects.toMatchObject(INVALID_CHALLENGE);
    expect(emittedEvents(fixture)).toEqual([
      'challenge.failed: wrong_code',
      'challenge.failed: wrong_code',
      'challenge.failed: gone',
    ]);
  });

  it('is what a recovery code counts as if the user has no recovery codes', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const rejected = answer(fixture, challenge, { code: RECOVERY_CODE });
    await expect(rejected).rejects.toMatchObject(WRONG_CODE);
  });

  it('locks the factor for all challenges once failuresBeforeLock is reached', async () => {
    const { fixture, challenge } = await pendingChallenge({ mfa: LOCK });
    const other = await createChallenge(fixture);
    for (const target of [challenge, challenge, other]) {
      await answer(fixture, target, { code: wrongCode(fixture) }).catch(() => {});
    }
    const untilMs = fixture.deps.clock.nowMs() + 1000 * LOCK.lockSeconds;
    expect(fixture.events.at(-1)).toMatchObject({ type: 'factor.locked', untilMs });
    fixture.advance(20_500);
    await expect(answer(fixture, other)).rejects.toMatchObject({
      code: 'too_many_requests',
      details: { retryAfterSeconds: 40 },
    });
    const rejected = { type: 'factor.rejected', retryAfterSeconds: 40, suspended: false };
    expect(fixture.events.at(-1)).toMatchObject(rejected);
    fixture.advance(untilMs - fixture.deps.clock.nowMs());
    await answer(fixture, other);
  });

  it('locks the factor, and emits factor.locked, even if a recovery code cannot be checked', async () => {
    const { fixture, challenge } = await pendingChallenge({ mfa: LOCK });
    const { factorOf, clock } = fixture.deps;
    const replacedDeps: Partial<ChallengeGrantDeps> = {
      factorOf: async (user) => {
        const factor = await factorOf(user);
        return factor && { ...factor, consumeRecoveryCode: rejectUnavailable };
      },
    };
    for (let i = 0; i < LOCK.failuresBeforeLock; i += 1) {
      const rejected = answer(fixture, challenge, { code: RECOVERY_CODE }, replacedDeps);
      await expect(rejected).rejects.toBe(unavailable);
    }
    const untilMs = clock.nowMs() + 1000 * LOCK.lockSeconds;
    expect(fixture.events).toMatchObject([{ type: 'factor.locked', untilMs }]);
  });

  it('is what a right code counts as if the enrolment has used up its time step', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const { factorOf, clock } = fixture.deps;
    const usedUpToStep = Math.floor(clock.nowMs() / STEP_MS);
    const replacedDeps: Partial<ChallengeGrantDeps> = {
      factorOf: async (user) => {
        const factor = await factorOf(user);
        return factor && { ...factor, usedUpToStep };
      },
    };
    await expect(answer(fixture, challenge, {}, replacedDeps)).rejects.toMatchObject(WRONG_CODE);
    expect(emittedEvents(fixture)).toEqual(['challenge.failed: step_used']);
    fixture.advance(STEP_MS);
    await answer(fixture, challenge, {}, replacedDeps);
  });
});
