import { memoryStorage } from '@latchhook/core';
import {
  type ChallengeStore,
  type Limiter,
  type LimiterFactory,
  type LimiterOptions,
  mapMethods,
  type SessionStore,
  STORE_METHODS,
  type Storage,
} from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';
import { ABILITIES, IN_PROCESS } from './in-process.ts';
import type { Transition } from './read-then-write.ts';
import { runCallsBy } from './run-calls-by.ts';

interface Reference {
  readonly sessions: SessionStore;
  readonly challenges: ChallengeStore;
  readonly clock: TurnableClock;
}

/** The reference with some faulty methods of `sessions`. */
export function faultySessions(
  change: (reference: Reference) => Partial<SessionStore>,
): StorageHarness {
  return faultyStorage((storage, clock) => ({
    ...storage,
    sessions: { ...methodsOfSessions(storage.sessions), ...change({ ...storage, clock }) },
  }));
}

/** The reference with some faulty methods of `challenges`. */
export function faultyChallenges(
  change: (reference: Reference) => Partial<ChallengeStore>,
): StorageHarness {
  return faultyStorage((storage, clock) => ({
    ...storage,
    challenges: { ...methodsOfChallenges(storage.challenges), ...change({ ...storage, clock }) },
  }));
}

/**
 * The reference with some faulty methods of `limiters`.
 *
 * @param change - Gets the limiter of the reference, its options, and a function that makes other limiters.
 */
export function faultyLimiters(
  change: (
    reference: Limiter,
    options: LimiterOptions,
    limiters: LimiterFactory,
  ) => Partial<Limiter>,
): StorageHarness {
  return faultyStorage((storage) => ({
    ...storage,
    limiters: (options) => {
      const limiters: LimiterFactory = (others) => referenceLimiter(storage, others);
      const reference = limiters(options);
      return { ...methodsOfLimiter(reference), ...change(reference, options, limiters) };
    },
  }));
}

/** Stores of sessions and challenges whose calls run as transitions. */
export function loginStoresBy(transition: Transition): Pick<Storage, 'sessions' | 'challenges'> {
  return {
    sessions: runCallsBy(transition, STORE_METHODS.sessions, ({ sessions }) => sessions),
    challenges: runCallsBy(transition, STORE_METHODS.challenges, ({ challenges }) => challenges),
  };
}

/** A storage derived from the reference. */
export function faultyStorage(
  change: (storage: Storage, clock: TurnableClock) => Storage,
): StorageHarness {
  return {
    abilities: ABILITIES,
    open: async ({ clock }) => {
      const storage = change(memoryStorage({ clock }), clock);
      return { connect: async () => storage, ...IN_PROCESS };
    },
  };
}

/** Each connection has its own storage, which other connections do not see. */
export const unsharedStorage: StorageHarness = {
  abilities: ABILITIES,
  open: async ({ clock }) => ({
    connect: async () => memoryStorage({ clock }),
    ...IN_PROCESS,
  }),
};

export function referenceLimiter({ limiters, name }: Storage, options: LimiterOptions): Limiter {
  if (limiters === undefined) throw new Error(`${name} has no limiters`);
  return limiters(options);
}

/** Copies the methods, because a spread does not copy the methods of a class. */
export function methodsOfSessions(sessions: SessionStore): SessionStore {
  return mapMethods(sessions, STORE_METHODS.sessions, (call) => call());
}

export function methodsOfChallenges(challenges: ChallengeStore): ChallengeStore {
  return mapMethods(challenges, STORE_METHODS.challenges, (call) => call());
}

function methodsOfLimiter(limiter: Limiter): Limiter {
  return mapMethods(limiter, STORE_METHODS.limiters, (call) => call());
}
