/** Where the time comes from. Tests turn it. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  nowMs(): number;
  /**
   * Milliseconds since whenever, never set back: what durations are measured by. Default: `nowMs`, so that
   * one turn of a test's clock moves both.
   */
  monotonicMs?(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** The reading that durations are measured by, ms: the time of day may be set back. For who writes an engine. */
export function monotonicMs(clock: Clock): number {
  return clock.monotonicMs?.() ?? clock.nowMs();
}
