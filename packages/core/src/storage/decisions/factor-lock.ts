/**
 * What protects a user's second factor across challenges: failures, locks, the last step. JSON-safe, and kept for good.
 * For authors of storages.
 */
export interface FactorLock {
  /** Attempts since the last right code. Each counts as failed until `complete` says otherwise. */
  readonly failures: number;
  /** No attempt is taken before this time; 0 for a factor that was never locked. */
  readonly lockedUntilMs: number;
  /** Locked until `unlock`. */
  readonly isSuspended: boolean;
  /** The newest step that was used, or 0. */
  readonly lastTotpStep: number;
}

/** That of a user who never presented a code. */
export const NEW_FACTOR_LOCK: FactorLock = {
  failures: 0,
  lockedUntilMs: 0,
  isSuspended: false,
  lastTotpStep: 0,
};

/** Decides `unlock` of challenges: forgets all but the last TOTP step, so that a used code stays used. */
export function unlockFactor(factorLock: FactorLock): FactorLock {
  return { ...NEW_FACTOR_LOCK, lastTotpStep: factorLock.lastTotpStep };
}
