/** What guards a user's second factor, over all challenges. JSON-safe, and kept for good. For who writes a storage. */
export interface FactorState {
  /** Attempts since the last right code. Each counts as failed until `complete` says otherwise. */
  readonly failures: number;
  /** No attempt is taken before; 0 for one that was never locked. */
  readonly lockedUntilMs: number;
  /** Locked, and no time lifts it. */
  readonly isSuspended: boolean;
  /** The newest that was used, or 0. */
  readonly lastTotpStep: number;
}

/** That of a user who never presented a code. */
export const NEW_FACTOR: FactorState = {
  failures: 0,
  lockedUntilMs: 0,
  isSuspended: false,
  lastTotpStep: 0,
};

/** `unlock` of challenges. Everything but the last TOTP step is forgotten: a used code stays used. */
export function unlockFactor(factor: FactorState): FactorState {
  return { ...NEW_FACTOR, lastTotpStep: factor.lastTotpStep };
}
