import type { Guard } from '../faults/fault-guard.ts';
import type { ChallengeStore } from './challenge-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { Limiter, LimiterFactory } from './limiter.ts';
import { memoryLimiters } from './memory/memory-limiter.ts';
import type { MfaStore } from './mfa-store.ts';
import type { Outbox } from './outbox.ts';
import type { PersonalAccessTokenStore } from './personal-access-token-store.ts';
import type { SealedStore } from './sealed-store.ts';
import type { SessionStore } from './session-store.ts';
import type { Storage } from './storage.ts';
import type { WebhookStore } from './webhook-store.ts';

/** What core needs of every storage. Stores that an option needs are guarded where that option is resolved. */
export interface GuardedStorage
  extends Pick<Storage, 'sessions' | 'challenges' | 'personalAccessTokens'> {
  /** The storage's own, or this process's. */
  readonly limiters: LimiterFactory;
}

/**
 * The storage as core uses it: a method that throws, synchronously or not, or never settles, is "unavailable" to the
 * client and emitted as a fault, whatever the adapter's author has taken care of.
 */
export function guardedStorage(storage: Storage, guard: Guard): GuardedStorage {
  const { sessions, challenges, personalAccessTokens } = storage;
  return {
    sessions: guardedSessions(sessions, guard),
    challenges: guardedChallenges(challenges, guard),
    limiters: guardedLimiters(limitersOf(storage), guard),
    ...(personalAccessTokens && {
      personalAccessTokens: guardedPersonalAccessTokens(personalAccessTokens, guard),
    }),
  };
}

function guardedSessions(store: SessionStore, guard: Guard): SessionStore {
  return {
    create: (session, limits) => guard(() => store.create(session, limits)),
    rotate: (request) => guard(() => store.rotate(request)),
    isLive: (ref) => guard(() => store.isLive(ref)),
    revoke: (ref) => guard(() => store.revoke(ref)),
    revokeAll: (userId) => guard(() => store.revokeAll(userId)),
    revokeOthers: (spared) => guard(() => store.revokeOthers(spared)),
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

/** Calls `limiters` as a method, since a class may need `this`. */
function limitersOf(storage: Storage): LimiterFactory {
  const { limiters } = storage;
  return limiters ? (options) => limiters.call(storage, options) : memoryLimiters();
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

export function guardedWebhooks(store: WebhookStore, guard: Guard): WebhookStore {
  return {
    create: (webhook, limits) => guard(() => store.create(webhook, limits)),
    find: (ref) => guard(() => store.find(ref)),
    list: (accountId, page) => guard(() => store.list(accountId, page)),
    change: (ref, change) => guard(() => store.change(ref, change)),
    rotateSecret: (ref, secret) => guard(() => store.rotateSecret(ref, secret)),
    enable: (ref) => guard(() => store.enable(ref)),
    remove: (ref) => guard(() => store.remove(ref)),
    ...guardedSealed(store, guard),
  };
}

export function guardedDeliveries(store: DeliveryStore, guard: Guard): DeliveryStore {
  return {
    publish: (message) => guard(() => store.publish(message)),
    start: (request) => guard(() => store.start(request)),
    finish: (request) => guard(() => store.finish(request)),
    resend: (ref) => guard(() => store.resend(ref)),
    recover: (ref, request) => guard(() => store.recover(ref, request)),
    release: (ref, request) => guard(() => store.release(ref, request)),
    reschedule: (ref, request) => guard(() => store.reschedule(ref, request)),
    overdue: (request) => guard(() => store.overdue(request)),
    find: (ref) => guard(() => store.find(ref)),
    list: (ref, page) => guard(() => store.list(ref, page)),
    countPending: () => guard(() => store.countPending()),
    ...(store.outbox && { outbox: guardedOutbox(store.outbox, guard) }),
  };
}

function guardedOutbox(outbox: Outbox, guard: Guard): Outbox {
  return {
    publishWithin: (tx, message) => guard(() => outbox.publishWithin(tx, message)),
    takeCommitted: (request) => guard(() => outbox.takeCommitted(request)),
    watch: (onCommit) => outbox.watch(onCommit),
  };
}

function guardedPersonalAccessTokens(
  store: PersonalAccessTokenStore,
  guard: Guard,
): PersonalAccessTokenStore {
  return {
    create: (token, limits) => guard(() => store.create(token, limits)),
    use: (tokenHash, options) => guard(() => store.use(tokenHash, options)),
    list: (userId, page) => guard(() => store.list(userId, page)),
    revoke: (ref) => guard(() => store.revoke(ref)),
    revokeByHash: (tokenHash) => guard(() => store.revokeByHash(tokenHash)),
    revokeAll: (userId) => guard(() => store.revokeAll(userId)),
  };
}

export function guardedMfa(store: MfaStore, guard: Guard): MfaStore {
  return {
    begin: (userId, enrolment) => guard(() => store.begin(userId, enrolment)),
    findPending: (userId) => guard(() => store.findPending(userId)),
    confirm: (userId, confirmation) => guard(() => store.confirm(userId, confirmation)),
    find: (userId) => guard(() => store.find(userId)),
    remove: (userId) => guard(() => store.remove(userId)),
    replaceRecoveryCodes: (userId, hashes) =>
      guard(() => store.replaceRecoveryCodes(userId, hashes)),
    consumeRecoveryCode: (userId, hash) => guard(() => store.consumeRecoveryCode(userId, hash)),
    ...guardedSealed(store, guard),
  };
}

function guardedSealed<Owner>(store: SealedStore<Owner>, guard: Guard): SealedStore<Owner> {
  return {
    listSealed: (page) => guard(() => store.listSealed(page)),
    replaceSealed: (owner, change) => guard(() => store.replaceSealed(owner, change)),
  };
}
