import { DAY_SECONDS } from '../day.ts';
import { type Clock, monotonicMs } from '../ports/clock.ts';
import type { LimiterFactory, LimiterState } from '../storage/limiter.ts';
import { type LockRule, lockSecondsAfter, locksUpTo } from '../storage/lock-rule.ts';
import { LocalLocks } from './local-locks.ts';
import { PendingFailures } from './pending-failures.ts';
import type { ThrottleOptions } from './throttle-options.ts';

/** The count of failures in a row expires a day after the first. */
const FAILURES_SECONDS = DAY_SECONDS;

/** The subject of an admitted login: what its failure counts against. */
export interface AdmittedSubject {
  /** A digest. */
  readonly subject: string;
  /** How many failures in a row the store had counted against the subject. */
  readonly failures: number;
  /** When the store was asked, by the monotonic clock, ms. */
  readonly admittedAtMs: number;
}

/** What the store has counted against a subject. */
export interface StoredFailures {
  readonly failures: number;
  /** How much longer the subject is locked, ms; `null`: it is not locked. */
  readonly lockedForMs: number | null;
  /** The counters of the subject in other limiters. */
  readonly others: readonly (LimiterState | null)[];
}

/** Counts failed logins in a row by subject. By default, every tenth locks the subject. */
export interface FailuresInRow {
  /** Asks the store. `otherPrefixes`: the prefixes of limiters whose counters are read in the same transition. */
  read(subject: string, otherPrefixes: readonly string[]): Promise<StoredFailures>;
  /** How much longer the subject is locked, ms, by what this process knows; 0: it is not locked. */
  lockedForMs(subject: string): number;
  /** Counts a failure; every tenth locks the subject. */
  count(admitted: AdmittedSubject): Promise<void>;
  /** Counts a failure, and locks nothing. */
  countWithoutLock(subject: string): Promise<unknown>;
  /** The number of failures that the store has counted. */
  failuresOf(subject: string): Promise<number>;
  clear(subject: string): Promise<unknown>;
}

export function createFailuresInRow(
  limiters: LimiterFactory,
  options: Required<Pick<ThrottleOptions, 'identifierFailures' | 'lockSeconds' | 'maxLockSeconds'>>,
  clock: Clock,
): FailuresInRow {
  const lockRule = lockRuleOf(options);
  const counters = limiters({ keyPrefix: 'throttle:streak', duration: FAILURES_SECONDS });
  /** Locks that this process has set, or read from the store. */
  const lockedHere = new LocalLocks(clock);
  const pending = new PendingFailures(() => monotonicMs(clock));

  /**
   * Locks the subject in this process, if a failure that locks it was counted since the login was admitted: a failure
   * of this login, or of a login in another process.
   */
  function lockIfReached({ subject, failures: failuresBefore }: AdmittedSubject, failures: number) {
    // Fewer failures than before mean that the user has logged in since then, which resets the count.
    if (locksUpTo(failures, lockRule) <= locksUpTo(failuresBefore, lockRule)) return;
    lockedHere.lock(subject, 1000 * lockSecondsAfter(failures, lockRule));
  }

  return {
    async read(subject, otherPrefixes) {
      // A count and its lock are read in one transition.
      const [count, lock, ...others] = await counters.get(subject, [
        lockRule.keyPrefix,
        ...otherPrefixes,
      ]);
      const lockedForMs = lock?.msBeforeNext ?? null;
      if (lockedForMs !== null) lockedHere.lock(subject, lockedForMs);
      return { failures: count?.consumedPoints ?? 0, lockedForMs, others };
    },

    lockedForMs: (subject) => lockedHere.leftMs(subject),

    async count(admitted) {
      const { subject } = admitted;
      // Locks before the store has answered, because a burst may be checked in one turn of the event loop.
      lockIfReached(admitted, pending.begin(subject, admitted));
      try {
        const { consumedPoints } = await counters.penaltyWithLock(subject, lockRule);
        pending.recount(subject, consumedPoints);
        lockIfReached(admitted, consumedPoints);
      } finally {
        pending.end(subject);
      }
    },

    countWithoutLock: (subject) => counters.penalty(subject),

    async failuresOf(subject) {
      const [count] = await counters.get(subject, []);
      return count?.consumedPoints ?? 0;
    },

    clear: (subject) => counters.delete(subject),
  };
}

/** Each lock is twice as long as the lock before it, up to the longest. */
function lockRuleOf({
  identifierFailures,
  lockSeconds,
  maxLockSeconds,
}: Parameters<typeof createFailuresInRow>[1]): LockRule {
  const seconds: [number, ...number[]] = [lockSeconds];
  let last = lockSeconds;
  while (last < maxLockSeconds) {
    last = Math.min(maxLockSeconds, 2 * last);
    seconds.push(last);
  }
  return { keyPrefix: 'throttle:lock', every: identifierFailures, seconds };
}
