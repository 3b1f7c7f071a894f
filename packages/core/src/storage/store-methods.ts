import type { ChallengeStore } from './challenge-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { Limiter } from './limiter.ts';
import type { MfaStore } from './mfa-store.ts';
import type { Outbox } from './outbox.ts';
import type { PersonalAccessTokenStore } from './personal-access-token-store.ts';
import type { SessionStore } from './session-store.ts';
import type { StorageName } from './storage.ts';
import type { WebhookStore } from './webhook-store.ts';

/** All methods of a contract. A missing method is a compile error. */
export type MethodsOf<Contract> = Readonly<Record<keyof Contract, true>>;

/** The methods of all parts of a storage, and of the outbox, which is a member of `deliveries`. */
export interface StoreMethods extends Record<StorageName, object> {
  readonly sessions: MethodsOf<SessionStore>;
  readonly challenges: MethodsOf<ChallengeStore>;
  /** The methods of each limiter. */
  readonly limiters: MethodsOf<Limiter>;
  readonly webhooks: MethodsOf<WebhookStore>;
  /** Without `subscribe`, which is not a call to the store. */
  readonly deliveries: MethodsOf<Omit<DeliveryStore, 'outbox' | 'subscribe'>>;
  readonly outbox: MethodsOf<Outbox>;
  readonly personalAccessTokens: MethodsOf<PersonalAccessTokenStore>;
  readonly mfa: MethodsOf<MfaStore>;
}

/**
 * The methods of every store, by name, for {@link mapMethods}. Storages are checked, guarded and measured by this list.
 */
export const STORE_METHODS: StoreMethods = {
  sessions: {
    create: true,
    rotate: true,
    isLive: true,
    revoke: true,
    revokeAll: true,
    revokeOthers: true,
    list: true,
  },
  challenges: { create: true, reserveAttempt: true, complete: true, unlock: true },
  limiters: {
    get: true,
    penalty: true,
    penaltyWithLock: true,
    block: true,
    delete: true,
  },
  webhooks: {
    create: true,
    find: true,
    list: true,
    change: true,
    rotateSecret: true,
    enable: true,
    remove: true,
    listEncrypted: true,
    replaceEncrypted: true,
  },
  deliveries: {
    publish: true,
    claim: true,
    complete: true,
    redeliver: true,
    redeliverFailed: true,
    list: true,
    stats: true,
  },
  outbox: { publishWithin: true },
  personalAccessTokens: {
    create: true,
    use: true,
    list: true,
    revoke: true,
    revokeByHash: true,
    revokeAll: true,
  },
  mfa: {
    begin: true,
    findPending: true,
    confirm: true,
    find: true,
    remove: true,
    removeEnrolled: true,
    replaceRecoveryCodes: true,
    consumeRecoveryCode: true,
    listEncrypted: true,
    replaceEncrypted: true,
  },
};

// The outbox is no part of a storage.
const { outbox: _, ...METHODS_BY_PART } = STORE_METHODS;

/** The parts of a storage, by name. */
export const STORAGE_PARTS: readonly StorageName[] = Object.keys(
  METHODS_BY_PART,
) as (keyof typeof METHODS_BY_PART)[];
