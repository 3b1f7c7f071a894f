import type { LockRule } from './lock-rule.ts';

/** Where a counter stands. */
export interface LimiterState {
  /** Points consumed in the current window. */
  readonly consumedPoints: number;
  /** Time until the window ends and the counter is forgotten, ms. */
  readonly msBeforeNext: number;
}

/**
 * A counter with a fixed window that starts at its first point, shared by all processes. It counts failed logins, and
 * whatever else has a quota. The limiters of `rate-limiter-flexible` have all of it but `penaltyWithLock`.
 *
 * Windows run on the system's clock, or the server's, whatever clock the storage was given for tests.
 */
export interface Limiter {
  /** The counter of `key`, or `null` where no window is open. */
  get(key: string): Promise<LimiterState | null>;
  /** Adds a point atomically, opening a window if there is none, and answers the new state of the counter. */
  penalty(key: string): Promise<LimiterState>;
  /**
   * Adds a point as `penalty` does, and with every `rule.every`th of a window also blocks the same key in the limiter
   * of `rule.keyPrefix`, as its `block` does.
   *
   * Atomicity: both are one transition. A caller that reads the new points, and then the lock, finds it until it ends,
   * even if the process that added the point has been killed.
   */
  penaltyWithLock(key: string, rule: LockRule): Promise<LimiterState>;
  /** Opens a window of the given length, in seconds, in place of any other. */
  block(key: string, seconds: number): Promise<unknown>;
  /** Forgets the counter. Returns whether a window was open. */
  delete(key: string): Promise<boolean>;
}

/** What sets one limiter apart from others of the same storage. */
export interface LimiterOptions {
  /** Keeps the counters of different limiters apart. */
  readonly keyPrefix: string;
  /** Length of a window, in seconds. */
  readonly duration: number;
}

/** Makes limiters on one storage. Two of the same `keyPrefix` share their counters. */
export type LimiterFactory = (options: LimiterOptions) => Limiter;
