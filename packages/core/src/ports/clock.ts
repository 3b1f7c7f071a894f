/** Where the time comes from. Tests replace it. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  nowMs(): number;
  /**
   * Milliseconds since any moment, never set back: for measuring durations. Default: `nowMs`, so that turning a test's
   * clock moves both.
   */
  monotonicMs?(): number;
}

/** The clock of the system. Durations are unaffected when its time of day is set. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** The time to measure durations by, ms, as the time of day may be set back. */
export function monotonicMs(clock: Clock): number {
  return clock.monotonicMs?.() ?? clock.nowMs();
}

/** The same in whole ms: the end of a minute that begins now is a minute away, while sums of fractions are rounded. */
export function wholeMonotonicMs(clock: Clock): number {
  return Math.floor(monotonicMs(clock));
}

/**
 * The time of day as it is now, counted on by the monotonic clock. For what waits within a process: setting the time of
 * day makes nothing wait longer, or end sooner. A clock without monotonic time stays as it is.
 */
export function steadyClock(clock: Clock): Clock {
  const originMs = clock.nowMs() - monotonicMs(clock);
  return {
    nowMs: () => Math.floor(originMs + monotonicMs(clock)),
    monotonicMs: () => monotonicMs(clock),
  };
}
