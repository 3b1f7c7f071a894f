import { describe, expect, it } from 'vitest';
import { decideAttempt } from './decide-attempt.ts';
import { type FactorLock, NEW_FACTOR_LOCK } from './factor-lock.ts';
import { challengeState } from './states.test.support.ts';

const limits = { perChallenge: 5, perUser: 3, lockMs: 100, maxLockMs: 300, suspendAfter: 12 };

const attempt = (factorLock?: Partial<FactorLock>, challenge = challengeState(), nowMs = 500) =>
  decideAttempt(
    { challenge, factorLock: factorLock && { ...NEW_FACTOR_LOCK, ...factorLock } },
    limits,
    nowMs,
  );

const rejected = (answer: object) => ({ answer, change: null });

describe('an attempt to answer a challenge', () => {
  it('is counted for the challenge and the user before the code is checked', () => {
    expect(attempt()).toEqual({
      answer: {
        outcome: 'reserved',
        context: challengeState().context,
        attemptsRemaining: 4,
        lockedUntilMs: null,
        nowMs: 500,
      },
      change: {
        challenge: challengeState({ attempts: 1 }),
        factorLock: { ...NEW_FACTOR_LOCK, failures: 1 },
      },
    });
  });

  it('locks the factor for a time that grows up to maxLockMs', () => {
    const lockAfter = (failures: number) => attempt({ failures: failures - 1 });
    for (const [failures, lockedUntilMs] of [
      [3, 600],
      [6, 700],
      [9, 800],
    ] as const) {
      expect(lockAfter(failures)).toMatchObject({
        answer: { outcome: 'reserved', lockedUntilMs },
        change: { factorLock: { failures, lockedUntilMs, isSuspended: false } },
      });
    }
    expect(lockAfter(4)).toMatchObject({ answer: { lockedUntilMs: null } });
  });

  it('suspends the factor after suspendAfter failures', () => {
    expect(attempt({ failures: 11 })).toMatchObject({
      answer: { outcome: 'reserved', lockedUntilMs: 800 },
      change: { factorLock: { failures: 12, isSuspended: true } },
    });
  });

  it('is rejected while the factor is locked or suspended', () => {
    const locked = { outcome: 'locked', retryAfterMs: 1, suspended: false };
    expect(attempt({ lockedUntilMs: 501 })).toEqual(rejected(locked));
    expect(attempt({ lockedUntilMs: 500 }).answer.outcome).toBe('reserved');
    const suspended = { outcome: 'locked', retryAfterMs: 300, suspended: true };
    expect(attempt({ isSuspended: true, lockedUntilMs: 0 })).toEqual(rejected(suspended));
  });

  it('is rejected for a challenge that is unknown, expired, ended, completed or exhausted', () => {
    const gone = rejected({ outcome: 'gone' });
    expect(decideAttempt({ challenge: undefined, factorLock: undefined }, limits, 500)).toEqual(
      gone,
    );
    expect(attempt({}, challengeState({ expiresAtMs: 500 }))).toEqual(gone);
    expect(attempt({}, challengeState({ isEnded: true }))).toEqual(gone);
    expect(attempt({}, challengeState({ completedBy: 's1' }))).toEqual(gone);
    expect(attempt({}, challengeState({ attempts: 5 }))).toEqual(gone);
  });
});
