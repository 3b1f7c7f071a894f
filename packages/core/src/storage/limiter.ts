import type { LockRule } from './lock-rule.ts';

/** The state of a counter. */
export interface LimiterState {
  /** Points consumed in the current window. */
  readonly consumedPoints: number;
  /** Time until the window ends and the counter is reset, ms. */
  readonly msBeforeNext: number;
}

/**
 * A counter with a fixed window that starts at its first point, shared by all processes. It counts failed logins, and
 * everything else with a quota.
 *
 * Windows use the clock of the system or the server, never a clock that is passed to the storage for tests.
 */
export interface Limiter {
  /**
   * The counter of `key`, and then its counters in the limiters with these prefixes, in this order; `null` for each
   * without an open window.
   *
   * Atomicity: all are read in one transition.
   */
  get(key: string, keyPrefixes: readonly string[]): Promise<readonly (LimiterState | null)[]>;
  /** Adds a point atomically, opening a window if there is none, and returns the new state of the counter. */
  penalty(key: string): Promise<LimiterState>;
  /**
   * Adds a point as `penalty` does. At every `rule.every`th point of a window it also calls `block` of the limiter with
   * `rule.keyPrefix`, for the same key.
   *
   * Atomicity: both are one transition. A caller that sees the new points also sees the lock in the same `get`, or
   * in a later call, even if the process that added the point was killed.
   */
  penaltyWithLock(key: string, rule: LockRule): Promise<LimiterState>;
  /** Opens a window of the given length, in seconds, and replaces an open one. */
  block(key: string, seconds: number): Promise<unknown>;
  /** Deletes the counter. Returns whether a window was open. */
  delete(key: string): Promise<boolean>;
}

/** The options of one limiter. */
export interface LimiterOptions {
  /** Separates the counters of different limiters. */
  readonly keyPrefix: string;
  /** Length of a window, in seconds. */
  readonly duration: number;
}

/** Creates limiters on one storage. Limiters with the same `keyPrefix` share their counters. */
export type LimiterFactory = (options: LimiterOptions) => Limiter;
