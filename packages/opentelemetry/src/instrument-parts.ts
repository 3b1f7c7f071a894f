import {
  type AccountId,
  type AuthOptions,
  type BuiltInEvents,
  ConfigError,
  type EventTypes,
  type HostClaims,
  type PasswordOptions,
  type Scope,
  type UserStore,
} from '@latchhook/core';
import {
  type DeliveryStore,
  type LimiterOptions,
  type MethodsOf,
  STORE_METHODS,
  type Storage,
  type StoreMethods,
  withOriginOf,
} from '@latchhook/core/storage';
import { assertInstrumentOptions, type InstrumentOptions } from './instrument-options.ts';
import { createTraceCall, type TraceCall, tracedCalls, withOutcomes } from './traced-calls.ts';
import { withOverrides } from './with-overrides.ts';

const USER_METHODS: MethodsOf<UserStore> = {
  findByUsername: true,
  findById: true,
  replacePasswordHash: true,
  consumeRecoveryCode: true,
};

/**
 * Traces the parts of a request: each call of your user store, of the storage, and of your own password verifier or
 * schemes is a child span of the request. Use it for the options of `createAuth`, together with {@link instrument},
 * which creates the span of the request.
 *
 * argon2id has no span. The time for it, including the wait for a permit, is the gap between `users.findByUsername` and
 * the next span.
 *
 * Security: spans have the name of the method and, for the storage, the outcome, but neither arguments nor results.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`
 *
 * @example
 * ```ts
 * import { type AuthOptions, createAuth } from '@latchhook/core';
 * import { instrument, instrumentParts } from '@latchhook/opentelemetry';
 *
 * declare const options: AuthOptions;
 * const auth = instrument(createAuth(instrumentParts(options)));
 * ```
 */
export function instrumentParts<
  Options extends object,
  const Events extends EventTypes = BuiltInEvents,
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
>(parts: Options & AuthOptions<Events, Claims, Scopes, Id>, options?: InstrumentOptions): Options;
export function instrumentParts<Scopes extends string, Id extends AccountId>(
  parts: AuthOptions<EventTypes, HostClaims, Scopes, Id>,
  options: InstrumentOptions = {},
): AuthOptions<EventTypes, HostClaims, Scopes, Id> {
  if (typeof parts !== 'object' || parts === null) {
    throw new ConfigError(
      'options_invalid',
      'instrumentParts takes the options of createAuth: createAuth(instrumentParts(options))',
    );
  }
  assertInstrumentOptions('instrumentParts', options);
  const traceCall = createTraceCall(options);
  const { users, storage, passwords } = parts;
  return {
    ...parts,
    users: tracedCalls(users, USER_METHODS, { name: 'users', traceCall }),
    ...(storage && { storage: tracedStorage(storage, withOutcomes(traceCall)) }),
    ...(passwords && { passwords: tracedPasswords(passwords, traceCall) }),
  };
}

type TraceStore = <Store extends object>(store: Store, name: keyof StoreMethods) => Store;

function tracedStorage(storage: Storage, traceCall: TraceCall): Storage {
  // `createAuth` rejects an invalid storage with a helpful message.
  if (typeof storage !== 'object') return storage;
  const { limiters, webhooks, deliveries, personalAccessTokens, mfa } = storage;
  const traceStore: TraceStore = (store, name) =>
    tracedCalls(store, STORE_METHODS[name], { name, traceCall });
  return withOverrides(storage, {
    sessions: traceStore(storage.sessions, 'sessions'),
    challenges: traceStore(storage.challenges, 'challenges'),
    // Called as a method because a class may need `this`.
    ...(limiters && {
      limiters: withOriginOf(limiters, (settings: LimiterOptions) =>
        traceStore(limiters.call(storage, settings), 'limiters'),
      ),
    }),
    ...(webhooks && { webhooks: traceStore(webhooks, 'webhooks') }),
    ...(deliveries && { deliveries: tracedDeliveries(deliveries, traceStore) }),
    ...(personalAccessTokens && {
      personalAccessTokens: traceStore(personalAccessTokens, 'personalAccessTokens'),
    }),
    ...(mfa && { mfa: traceStore(mfa, 'mfa') }),
  });
}

function tracedDeliveries(deliveries: DeliveryStore, traceStore: TraceStore): DeliveryStore {
  const store = traceStore(deliveries, 'deliveries');
  const { outbox } = deliveries;
  return outbox ? withOverrides(store, { outbox: traceStore(outbox, 'outbox') }) : store;
}

function tracedPasswords<Id extends AccountId>(
  passwords: PasswordOptions<Id>,
  traceCall: TraceCall,
): PasswordOptions<Id> {
  const { verifier, schemes } = passwords;
  return {
    ...passwords,
    ...(verifier && {
      verifier: (user, password) => traceCall('passwords.verifier', () => verifier(user, password)),
    }),
    ...(schemes && {
      schemes: schemes.map((scheme) =>
        withOverrides(scheme, {
          verify: (hash, password) =>
            traceCall(`passwords.${scheme.name}`, () => scheme.verify(hash, password)),
        }),
      ),
    }),
  };
}
