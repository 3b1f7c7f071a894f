import { memoryStorage } from '@latchhook/core';
import type {
  ChallengeStore,
  Limiter,
  LimiterOptions,
  SessionStore,
  Storage,
} from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import type { TurnableClock } from '../turnable-clock.ts';

interface Sound {
  readonly sessions: SessionStore;
  readonly challenges: ChallengeStore;
  readonly clock: TurnableClock;
}

/** The reference with some broken methods of its sessions. */
export function sessionsThat(change: (sound: Sound) => Partial<SessionStore>): StorageHarness {
  return storageThat((storage, clock) => ({
    ...storage,
    sessions: { ...methodsOfSessions(storage.sessions), ...change({ ...storage, clock }) },
  }));
}

/** The reference with some broken methods of its challenges. */
export function challengesThat(change: (sound: Sound) => Partial<ChallengeStore>): StorageHarness {
  return storageThat((storage, clock) => ({
    ...storage,
    challenges: { ...methodsOfChallenges(storage.challenges), ...change({ ...storage, clock }) },
  }));
}

/** The reference with some broken methods of its limiters. */
export function limitersThat(
  change: (sound: Limiter, options: LimiterOptions) => Partial<Limiter>,
): StorageHarness {
  return storageThat((storage) => ({
    ...storage,
    limiters: (options) => {
      const sound = soundLimiter(storage, options);
      return { ...methodsOfLimiter(sound), ...change(sound, options) };
    },
  }));
}

/** A storage derived from the reference. */
export function storageThat(
  change: (storage: Storage, clock: TurnableClock) => Storage,
): StorageHarness {
  return {
    open: async ({ clock }) => {
      const storage = change(memoryStorage({ clock }), clock);
      return { connect: async () => storage, close: async () => {} };
    },
  };
}

/** Each connection has a storage of its own, which others do not see. */
export const storageOfEachConnection: StorageHarness = {
  open: async ({ clock }) => ({
    connect: async () => memoryStorage({ clock }),
    close: async () => {},
  }),
};

export function soundLimiter({ limiters, name }: Storage, options: LimiterOptions): Limiter {
  if (limiters === undefined) throw new Error(`${name} has no limiters`);
  return limiters(options);
}

/** One by one, since methods of a class are not copied by a spread. */
export function methodsOfSessions(sound: SessionStore): SessionStore {
  return {
    create: (session, limits) => sound.create(session, limits),
    rotate: (request) => sound.rotate(request),
    isLive: (ref) => sound.isLive(ref),
    revoke: (ref) => sound.revoke(ref),
    revokeAll: (userId) => sound.revokeAll(userId),
    revokeOthers: (spared) => sound.revokeOthers(spared),
    list: (userId) => sound.list(userId),
  };
}

export function methodsOfChallenges(sound: ChallengeStore): ChallengeStore {
  return {
    create: (challenge) => sound.create(challenge),
    reserveAttempt: (ref, limits) => sound.reserveAttempt(ref, limits),
    complete: (request) => sound.complete(request),
    unlock: (userId) => sound.unlock(userId),
  };
}

function methodsOfLimiter(sound: Limiter): Limiter {
  return {
    get: (key) => sound.get(key),
    penalty: (key, points) => sound.penalty(key, points),
    block: (key, seconds) => sound.block(key, seconds),
    delete: (key) => sound.delete(key),
  };
}
