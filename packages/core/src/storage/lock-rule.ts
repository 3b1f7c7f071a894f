/** After how many points a key is locked, and for how long. */
export interface LockRule {
  /** The key prefix of the limiter of locks. It differs from the prefix of the limiter of points. */
  readonly keyPrefix: string;
  /** The number of points of one window after which a lock is set: an integer from 1. */
  readonly every: number;
  /**
   * The durations of the first lock of a window, the second, and so on, in seconds. Further locks last as long as the
   * last one.
   */
  readonly seconds: readonly [number, ...number[]];
}

/** The number of locks that this many points of one window have set. */
export function locksUpTo(points: number, { every }: LockRule): number {
  return Math.floor(points / every);
}

/** The duration of the last lock that this many points of one window have set, in seconds; 0: none. */
export function lockSecondsAfter(points: number, rule: LockRule): number {
  const locks = Math.min(locksUpTo(points, rule), rule.seconds.length);
  return rule.seconds[locks - 1] ?? 0;
}
