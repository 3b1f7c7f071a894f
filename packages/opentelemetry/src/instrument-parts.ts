import {
  type AccountId,
  type AuthOptions,
  ConfigError,
  type EventTypes,
  type GivenEvents,
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
import type { InstrumentOptions } from './instrument-options.ts';
import { createTraceCall, type TraceCall, tracedCalls, withOutcomes } from './traced-calls.ts';
import { withOverrides } from './with-overrides.ts';

const USER_METHODS: MethodsOf<UserStore> = {
  findByUsername: true,
  findById: true,
  replacePasswordHash: true,
  consumeRecoveryCode: true,
};

/**
 * Traces the parts of a request: each call of your users table, of the storage, and of your own password verifier or
 * schemes is a span within that of the request. For the options of `createAuth`, together with {@link instrument},
 * which creates the span of the request.
 *
 * argon2id has no span of its own: it is the gap between `users.findByUsername` and the next span, including the wait
 * for a permit.
 *
 * Security: spans have only the name of the method and, for the storage, the outcome; neither arguments nor results.
 *
 * @throws {ConfigError} `options_invalid`
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
  const Events extends EventTypes = GivenEvents,
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
  // Passed on unchanged, so that `createAuth` rejects it with a helpful message.
  if (typeof storage !== 'object') return storage;
  const { limiters, webhooks, deliveries, personalAccessTokens, mfa } = storage;
  const traced: TraceStore = (store, name) =>
    tracedCalls(store, STORE_METHODS[name], { name, traceCall });
  return withOverrides(storage, {
    sessions: traced(storage.sessions, 'sessions'),
    challenges: traced(storage.challenges, 'challenges'),
    // Called as a method, since a class may need `this`.
    ...(limiters && {
      limiters: withOriginOf(limiters, (settings: LimiterOptions) =>
        traced(limiters.call(storage, settings), 'limiters'),
      ),
    }),
    ...(webhooks && { webhooks: traced(webhooks, 'webhooks') }),
    ...(deliveries && { deliveries: tracedClaims(deliveries, traced) }),
    ...(personalAccessTokens && {
      personalAccessTokens: traced(personalAccessTokens, 'personalAccessTokens'),
    }),
    ...(mfa && { mfa: traced(mfa, 'mfa') }),
  });
}

function tracedClaims(deliveries: DeliveryStore, traced: TraceStore): DeliveryStore {
  const store = traced(deliveries, 'deliveries');
  const { outbox } = deliveries;
  return outbox ? withOverrides(store, { outbox: traced(outbox, 'outbox') }) : store;
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
