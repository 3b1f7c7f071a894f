import { expect, it } from 'vitest';
import { unlockFactor } from './factor-lock.ts';

it('unlockFactor clears failures, lock and suspension, but keeps the last TOTP step', () => {
  const locked = { failures: 12, lockedUntilMs: 900, isSuspended: true, lastTotpStep: 7 };
  const unlocked = { failures: 0, lockedUntilMs: 0, isSuspended: false, lastTotpStep: 7 };
  expect(unlockFactor(locked)).toEqual(unlocked);
});
