import type { Clock } from '@latchhook/core';

/** A clock that stands still until it is turned. */
export interface TurnableClock extends Clock {
  /** Moves the time on, in milliseconds. */
  advance(ms: number): void;
}

/**
 * Starts at the present, since a server that sweeps by its own clock must find what it is given worth
 * keeping; from there it is turned by hand only, so that no test waits for anything to expire.
 */
export function turnableClock(startMs: number = Date.now()): TurnableClock {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}
