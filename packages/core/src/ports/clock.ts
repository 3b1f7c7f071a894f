/** The source of time. Tests replace it. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  nowMs(): number;
  /**
   * Milliseconds since any moment, never set back: for measuring durations. Default: `nowMs`, so that a test that turns
   * its clock moves both.
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

/** {@link monotonicMs} in whole ms, so that a minute from now is exactly that: sums of fractions would be rounded. */
export function wholeMonotonicMs(clock: Clock): number {
  return Math.floor(monotonicMs(clock));
}

/**
 * The time of day at the time of the call, advanced by the monotonic clock. For waits within a process: if the time of
 * day is set, nothing waits longer, or ends sooner. A clock without monotonic time stays as it is.
 */
export function steadyClock(clock: Clock): Clock {
  const originMs = clock.nowMs() - monotonicMs(clock);
  return {
    nowMs: () => Math.floor(originMs + monotonicMs(clock)),
    monotonicMs: () => monotonicMs(clock),
  };
}
