/** When points lock what they are counted for, and for how long. */
export interface LockRule {
  /** The prefix of the limiter whose counter of the same key is the lock: another than that of the points. */
  readonly keyPrefix: string;
  /** How many points of one window set each lock: an integer from 1. */
  readonly every: number;
  /** How long the first lock of a window lasts, the second, and so on, in seconds; the last of them for all further. */
  readonly seconds: readonly [number, ...number[]];
}

/** How many locks so many points of one window have set. */
export function locksUpTo(points: number, { every }: LockRule): number {
  return Math.floor(points / every);
}

/** How long the last of the locks lasts that so many points of one window have set, seconds; 0: they have set none. */
export function lockSecondsAfter(points: number, rule: LockRule): number {
  const locks = Math.min(locksUpTo(points, rule), rule.seconds.length);
  return rule.seconds[locks - 1] ?? 0;
}
