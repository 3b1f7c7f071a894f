import type { ChallengeStore } from './challenge-store.ts';
import type { Limiter, LimiterFactory } from './limiter.ts';
import type { SessionStore } from './session-store.ts';
import type { Storage } from './storage.ts';

/** Runs one call of an adapter: bounds its time and turns whatever it throws into one refusal. */
export type Guard = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * The storage as core uses it: a method that throws, synchronously or not, or never settles, is
 * "unavailable" to the client and a fault to whoever watches, whatever the adapter's author thought of.
 */
export function guardedStorage(storage: Required<Storage>, guard: Guard): Required<Storage> {
  const { name, sessions, challenges, limiters } = storage;
  return {
    name,
    sessions: guardedSessions(sessions, guard),
    challenges: guardedChallenges(challenges, guard),
    limiters: guardedLimiters(limiters, guard),
  };
}

function guardedSessions(store: SessionStore, guard: Guard): SessionStore {
  return {
    create: (session, limits) => guard(() => store.create(session, limits)),
    rotate: (request) => guard(() => store.rotate(request)),
    isLive: (ref) => guard(() => store.isLive(ref)),
    revoke: (ref) => guard(() => store.revoke(ref)),
    revokeAll: (userId) => guard(() => store.revokeAll(userId)),
    list: (userId) => guard(() => store.list(userId)),
  };
}

function guardedChallenges(store: ChallengeStore, guard: Guard): ChallengeStore {
  return {
    create: (challenge) => guard(() => store.create(challenge)),
    reserveAttempt: (ref, limits) => guard(() => store.reserveAttempt(ref, limits)),
    complete: (request) => guard(() => store.complete(request)),
    unlock: (userId) => guard(() => store.unlock(userId)),
  };
}

function guardedLimiters(limiters: LimiterFactory, guard: Guard): LimiterFactory {
  return (options) => {
    const limiter: Limiter = limiters(options);
    return {
      get: (key) => guard(() => limiter.get(key)),
      penalty: (key, points) => guard(() => limiter.penalty(key, points)),
      block: (key, seconds) => guard(() => limiter.block(key, seconds)),
      delete: (key) => guard(() => limiter.delete(key)),
    };
  };
}
