/**
 * The state that protects a user's second factor across challenges: failures, locks, the last TOTP step. JSON-safe, and
 * kept without expiry. For authors of storages.
 */
export interface FactorLock {
  /** Attempts since the last valid code. Each counts as failed until `complete` clears them. */
  readonly failures: number;
  /** Attempts are rejected before this time; 0 for a factor that was never locked. */
  readonly lockedUntilMs: number;
  /** Locked until `unlock`. */
  readonly isSuspended: boolean;
  /** The latest TOTP step that was used, or 0. */
  readonly lastTotpStep: number;
}

/** The factor lock of a user who has never presented a code. */
export const NEW_FACTOR_LOCK: FactorLock = {
  failures: 0,
  lockedUntilMs: 0,
  isSuspended: false,
  lastTotpStep: 0,
};

/** Decides `unlock` of challenges: clears everything except the last TOTP step, so that a used code stays used. */
export function unlockFactor(factorLock: FactorLock): FactorLock {
  return { ...NEW_FACTOR_LOCK, lastTotpStep: factorLock.lastTotpStep };
}
