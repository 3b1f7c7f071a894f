import type { Clock } from '@latchhook/core';

/** A clock that stands still until it is turned. */
export interface TurnableClock extends Clock {
  /** Moves the time on by `ms`. */
  advance(ms: number): void;
  /** Sets the time of day back by `ms`, as an operator may; durations are not affected. */
  setBack(ms: number): void;
}

/**
 * Makes a clock that starts at the present, as a server that sweeps by its own clock must not find everything expired.
 * From there it moves only by `advance`, so that no test waits for anything to expire.
 */
export function turnableClock(startMs: number = Date.now()): TurnableClock {
  let monotonicMs = startMs;
  let behindMs = 0;
  return {
    nowMs: () => monotonicMs - behindMs,
    monotonicMs: () => monotonicMs,
    advance: (ms) => {
      monotonicMs += ms;
    },
    setBack: (ms) => {
      behindMs += ms;
    },
  };
}
