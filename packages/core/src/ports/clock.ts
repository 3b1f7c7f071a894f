/** The source of time. Tests replace it. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  nowMs(): number;
  /**
   * Milliseconds since any moment, never set back: for measuring durations. Default: `nowMs`, so that a test's clock
   * needs only one method.
   */
  monotonicMs?(): number;
}

/** The clock of the system. Setting the wall clock does not affect durations. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** The time for measuring durations, ms: wall-clock time may be set back. */
export function monotonicMs(clock: Clock): number {
  return clock.monotonicMs?.() ?? clock.nowMs();
}

/** {@link monotonicMs} in whole ms, because sums of fractions would be rounded: a minute must be exactly a minute. */
export function wholeMonotonicMs(clock: Clock): number {
  return Math.floor(monotonicMs(clock));
}

/**
 * Starts at the present wall-clock time, and is then advanced by the monotonic clock: setting the wall clock neither
 * prolongs nor shortens waits within a process. A clock without `monotonicMs` is not changed by this.
 */
export function steadyClock(clock: Clock): Clock {
  const originMs = clock.nowMs() - monotonicMs(clock);
  return {
    nowMs: () => Math.floor(originMs + monotonicMs(clock)),
    monotonicMs: () => monotonicMs(clock),
  };
}
