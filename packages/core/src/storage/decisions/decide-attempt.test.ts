import { describe, expect, it } from 'vitest';
import { decideAttempt } from './decide-attempt.ts';
import { type FactorLock, NEW_FACTOR_LOCK } from './factor-lock.ts';
import { challengeState } from './states.test.support.ts';

const NOW_MS = 500;
const limits = { perChallenge: 5, perUser: 3, lockMs: 100, maxLockMs: 300, suspendAfter: 12 };

const attempt = (factorLock?: Partial<FactorLock>, challenge = challengeState()) =>
  decideAttempt(
    { challenge, factorLock: factorLock && { ...NEW_FACTOR_LOCK, ...factorLock } },
    limits,
    NOW_MS,
  );

const rejected = (outcome: object) => ({ outcome, change: null });

describe('an attempt at an MFA challenge', () => {
  it('is counted for the challenge and the user before the code is checked', () => {
    expect(attempt()).toEqual({
      outcome: {
        outcome: 'reserved',
        context: challengeState().context,
        attemptsRemaining: limits.perChallenge - 1,
        lockedUntilMs: null,
        nowMs: NOW_MS,
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
      [3, NOW_MS + limits.lockMs],
      [6, NOW_MS + 2 * limits.lockMs],
      [9, NOW_MS + limits.maxLockMs],
    ] as const) {
      expect(lockAfter(failures)).toMatchObject({
        outcome: { outcome: 'reserved', lockedUntilMs },
        change: { factorLock: { failures, lockedUntilMs, isSuspended: false } },
      });
    }
    expect(lockAfter(4)).toMatchObject({ outcome: { lockedUntilMs: null } });
  });

  it('suspends the factor after suspendAfter failures', () => {
    expect(attempt({ failures: limits.suspendAfter - 1 })).toMatchObject({
      outcome: { outcome: 'reserved', lockedUntilMs: NOW_MS + limits.maxLockMs },
      change: { factorLock: { failures: limits.suspendAfter, isSuspended: true } },
    });
  });

  it('is rejected while the factor is locked or suspended', () => {
    const locked = { outcome: 'locked', retryAfterMs: 1, suspended: false };
    expect(attempt({ lockedUntilMs: NOW_MS + 1 })).toEqual(rejected(locked));
    expect(attempt({ lockedUntilMs: NOW_MS }).outcome.outcome).toBe('reserved');
    const suspended = { outcome: 'locked', retryAfterMs: limits.maxLockMs, suspended: true };
    expect(attempt({ isSuspended: true, lockedUntilMs: 0 })).toEqual(rejected(suspended));
  });

  it('is rejected for a challenge that is unknown, expired, ended, completed or exhausted', () => {
    const gone = rejected({ outcome: 'gone' });
    expect(decideAttempt({ challenge: undefined, factorLock: undefined }, limits, NOW_MS)).toEqual(
      gone,
    );
    expect(attempt({}, challengeState({ expiresAtMs: NOW_MS }))).toEqual(gone);
    expect(attempt({}, challengeState({ isEnded: true }))).toEqual(gone);
    expect(attempt({}, challengeState({ completedBy: 's1' }))).toEqual(gone);
    expect(attempt({}, challengeState({ attempts: limits.perChallenge }))).toEqual(gone);
  });
});
