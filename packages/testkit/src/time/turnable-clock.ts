import type { Clock } from '@latchhook/core';

/** A clock that only a test moves. */
export interface TurnableClock extends Clock {
  /** Moves the time on by `ms`. */
  advance(ms: number): void;
  /** Sets the wall-clock time back by `ms`, as an operator may; durations are not affected. */
  setBack(ms: number): void;
}

/**
 * Makes a clock that starts at the present, because a server that deletes expired rows by its own clock must not delete
 * every row. It moves only by `advance` and `setBack`, so that no test waits for anything to expire.
 */
export function turnableClock(startMs: number = Date.now()): TurnableClock {
  let monotonicMs = startMs;
  let setBackMs = 0;
  return {
    nowMs: () => monotonicMs - setBackMs,
    monotonicMs: () => monotonicMs,
    advance: (ms) => {
      monotonicMs += ms;
    },
    setBack: (ms) => {
      setBackMs += ms;
    },
  };
}
