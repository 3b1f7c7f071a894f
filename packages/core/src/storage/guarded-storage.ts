import { ConfigError } from '../errors.ts';
import type { CallGuard } from '../faults/call-guard.ts';
import { missingMethods } from '../missing-methods.ts';
import type { Claim, ClaimRequest, DeliveryStore } from './delivery-store.ts';
import { guardedOutbox } from './guarded-outbox.ts';
import type { Limiter, LimiterFactory } from './limiter.ts';
import { type LoginTransition, loginTransitionOf } from './login-transition.ts';
import { mapMethods } from './map-methods.ts';
import { memoryLimiters } from './memory/memory-limiter.ts';
import type { Storage } from './storage.ts';
import { STORE_METHODS } from './store-methods.ts';
import type { WebhookStore } from './webhook-store.ts';

/** The stores that core always uses, guarded. Stores that an option needs are guarded where that option is resolved. */
export interface GuardedStorage
  extends Pick<Storage, 'sessions' | 'challenges' | 'personalAccessTokens' | 'mfa'> {
  /** The limiters of the storage, or those of this process. */
  readonly limiters: LimiterFactory;
  /** Asked at each login, because the host may replace a method while the app runs: see {@link loginTransitionOf}. */
  readonly loginTransition: () => Pick<LoginTransition, 'createUnlessEnrolled'> | undefined;
}

/**
 * The storage as core uses it. A method that throws, rejects or never settles is "unavailable" to the client and
 * emitted as a fault, so that core does not depend on the adapter for this.
 *
 * Its limiter factory throws a {@link ConfigError} `storage_invalid` if a limiter lacks a method.
 */
export function guardedStorage(storage: Storage, call: CallGuard): GuardedStorage {
  const { sessions, challenges, personalAccessTokens: tokens, mfa } = storage;
  return {
    sessions: mapMethods(sessions, STORE_METHODS.sessions, call),
    loginTransition() {
      const transition = loginTransitionOf(storage);
      return (
        transition && {
          createUnlessEnrolled: (...login) => call(() => transition.createUnlessEnrolled(...login)),
        }
      );
    },
    challenges: mapMethods(challenges, STORE_METHODS.challenges, call),
    limiters: guardedLimiters(limitersOf(storage), call),
    ...(tokens && {
      personalAccessTokens: mapMethods(tokens, STORE_METHODS.personalAccessTokens, call),
    }),
    ...(mfa && { mfa: mapMethods(mfa, STORE_METHODS.mfa, call) }),
  };
}

/** Calls `limiters` as a method because a class may need `this`. */
function limitersOf(storage: Storage): LimiterFactory {
  const { limiters } = storage;
  return limiters ? (options) => limiters.call(storage, options) : memoryLimiters();
}

function guardedLimiters(limiters: LimiterFactory, call: CallGuard): LimiterFactory {
  return (options) => {
    const limiter = limiters(options);
    assertLimiter(limiter);
    return mapMethods(limiter, STORE_METHODS.limiters, call);
  };
}

/** Checked when the app starts because logins would fail with 503 if a limiter could not count. */
function assertLimiter(limiter: Limiter): void {
  const missing = missingMethods('limiters()', limiter, Object.keys(STORE_METHODS.limiters));
  if (missing.length === 0) return;
  throw new ConfigError(
    'storage_invalid',
    `storage.limiters must make limiters, as those of postgresStorage(pool) and redisStorage(client) do: what it makes lacks ${missing.join(', ')}`,
  );
}

export function guardedWebhooks(store: WebhookStore, call: CallGuard): WebhookStore {
  return mapMethods(store, STORE_METHODS.webhooks, call);
}

export function guardedDeliveries(store: DeliveryStore, call: CallGuard): DeliveryStore {
  return {
    ...mapMethods(store, STORE_METHODS.deliveries, call),
    claim: (request) => guardedClaim(store, request, call),
    ...(store.subscribe && { subscribe: store.subscribe.bind(store) }),
    ...(store.outbox && { outbox: guardedOutbox(store.outbox, call) }),
  };
}

/** A claim that the guard has rejected at its timeout goes on, and may still lease attempts. */
function guardedClaim(
  store: DeliveryStore,
  request: ClaimRequest,
  call: CallGuard,
): Promise<Claim> {
  let isRejected = false;
  const claim = async (): Promise<Claim> => {
    const result = await store.claim(request);
    if (isRejected) request.onUnsent?.(result.attempts);
    return result;
  };
  return call(claim).catch((error) => {
    isRejected = true;
    throw error;
  });
}
