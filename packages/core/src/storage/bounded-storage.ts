import type { CallBoundary } from '../faults/call-boundary.ts';
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

/** What core needs of every storage. Stores that an option needs are bounded where that option is resolved. */
export interface BoundedStorage
  extends Pick<Storage, 'sessions' | 'challenges' | 'personalAccessTokens'> {
  /** The storage's own, or this process's. */
  readonly limiters: LimiterFactory;
}

/**
 * The storage as core uses it: a method that throws, synchronously or not, or never settles, is "unavailable" to the
 * client and emitted as a fault, whatever the adapter's author has taken care of.
 */
export function boundedStorage(storage: Storage, call: CallBoundary): BoundedStorage {
  const { sessions, challenges, personalAccessTokens } = storage;
  return {
    sessions: boundedSessions(sessions, call),
    challenges: boundedChallenges(challenges, call),
    limiters: boundedLimiters(limitersOf(storage), call),
    ...(personalAccessTokens && {
      personalAccessTokens: boundedPersonalAccessTokens(personalAccessTokens, call),
    }),
  };
}

function boundedSessions(store: SessionStore, call: CallBoundary): SessionStore {
  return {
    create: (session, limits) => call(() => store.create(session, limits)),
    rotate: (request) => call(() => store.rotate(request)),
    isLive: (ref) => call(() => store.isLive(ref)),
    revoke: (ref) => call(() => store.revoke(ref)),
    revokeAll: (userId) => call(() => store.revokeAll(userId)),
    revokeOthers: (spared) => call(() => store.revokeOthers(spared)),
    list: (userId) => call(() => store.list(userId)),
  };
}

function boundedChallenges(store: ChallengeStore, call: CallBoundary): ChallengeStore {
  return {
    create: (challenge) => call(() => store.create(challenge)),
    reserveAttempt: (ref, limits) => call(() => store.reserveAttempt(ref, limits)),
    complete: (request) => call(() => store.complete(request)),
    unlock: (userId) => call(() => store.unlock(userId)),
  };
}

/** Calls `limiters` as a method, since a class may need `this`. */
function limitersOf(storage: Storage): LimiterFactory {
  const { limiters } = storage;
  return limiters ? (options) => limiters.call(storage, options) : memoryLimiters();
}

function boundedLimiters(limiters: LimiterFactory, call: CallBoundary): LimiterFactory {
  return (options) => {
    const limiter: Limiter = limiters(options);
    return {
      get: (key) => call(() => limiter.get(key)),
      penalty: (key, points) => call(() => limiter.penalty(key, points)),
      block: (key, seconds) => call(() => limiter.block(key, seconds)),
      delete: (key) => call(() => limiter.delete(key)),
    };
  };
}

export function boundedWebhooks(store: WebhookStore, call: CallBoundary): WebhookStore {
  return {
    create: (webhook, limits) => call(() => store.create(webhook, limits)),
    find: (ref) => call(() => store.find(ref)),
    list: (accountId, page) => call(() => store.list(accountId, page)),
    change: (ref, change) => call(() => store.change(ref, change)),
    rotateSecret: (ref, secret) => call(() => store.rotateSecret(ref, secret)),
    enable: (ref) => call(() => store.enable(ref)),
    remove: (ref) => call(() => store.remove(ref)),
    ...boundedSealed(store, call),
  };
}

export function boundedDeliveries(store: DeliveryStore, call: CallBoundary): DeliveryStore {
  return {
    publish: (message) => call(() => store.publish(message)),
    start: (request) => call(() => store.start(request)),
    finish: (request) => call(() => store.finish(request)),
    resend: (ref) => call(() => store.resend(ref)),
    recover: (ref, request) => call(() => store.recover(ref, request)),
    release: (ref, request) => call(() => store.release(ref, request)),
    reschedule: (ref, request) => call(() => store.reschedule(ref, request)),
    overdue: (request) => call(() => store.overdue(request)),
    find: (ref) => call(() => store.find(ref)),
    list: (ref, page) => call(() => store.list(ref, page)),
    countPending: () => call(() => store.countPending()),
    lagMs: () => call(() => store.lagMs()),
    ...(store.outbox && { outbox: boundedOutbox(store.outbox, call) }),
  };
}

function boundedOutbox(outbox: Outbox, call: CallBoundary): Outbox {
  return {
    publishWithin: (tx, message) => call(() => outbox.publishWithin(tx, message)),
    takeCommitted: (request) => call(() => outbox.takeCommitted(request)),
    countPending: (request) => call(() => outbox.countPending(request)),
    lagMs: () => call(() => outbox.lagMs()),
    watch: (onCommit) => outbox.watch(onCommit),
  };
}

function boundedPersonalAccessTokens(
  store: PersonalAccessTokenStore,
  call: CallBoundary,
): PersonalAccessTokenStore {
  return {
    create: (token, limits) => call(() => store.create(token, limits)),
    use: (tokenHash, options) => call(() => store.use(tokenHash, options)),
    list: (userId, page) => call(() => store.list(userId, page)),
    revoke: (ref) => call(() => store.revoke(ref)),
    revokeByHash: (tokenHash) => call(() => store.revokeByHash(tokenHash)),
    revokeAll: (userId) => call(() => store.revokeAll(userId)),
  };
}

export function boundedMfa(store: MfaStore, call: CallBoundary): MfaStore {
  return {
    begin: (userId, enrolment) => call(() => store.begin(userId, enrolment)),
    findPending: (userId) => call(() => store.findPending(userId)),
    confirm: (userId, confirmation) => call(() => store.confirm(userId, confirmation)),
    find: (userId) => call(() => store.find(userId)),
    remove: (userId) => call(() => store.remove(userId)),
    replaceRecoveryCodes: (userId, hashes) =>
      call(() => store.replaceRecoveryCodes(userId, hashes)),
    consumeRecoveryCode: (userId, hash) => call(() => store.consumeRecoveryCode(userId, hash)),
    ...boundedSealed(store, call),
  };
}

function boundedSealed<Owner>(store: SealedStore<Owner>, call: CallBoundary): SealedStore<Owner> {
  return {
    listSealed: (page) => call(() => store.listSealed(page)),
    replaceSealed: (owner, change) => call(() => store.replaceSealed(owner, change)),
  };
}
