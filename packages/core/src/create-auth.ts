import type { AccountId, AccountIds } from './account-id.ts';
import type { Auth } from './auth.ts';
import type { AnyAuthOptions, AuthOptions } from './auth-options.ts';
import { createBearerChecks } from './bearer/create-bearer-checks.ts';
import { createSessionCookies } from './cookies/session-cookies.ts';
import { emittingFaults } from './faults/emitting-faults.ts';
import { createChallengeGrant } from './grants/challenge-grant.ts';
import { createTokens } from './grants/create-tokens.ts';
import { createHostGrant } from './grants/host-grant.ts';
import { createPasswordGrant } from './grants/password-grant.ts';
import { createRefreshGrant } from './grants/refresh-grant.ts';
import { createDispatch } from './http/dispatch.ts';
import { createIntrospectToken } from './introspection-and-revocation/introspect-token.ts';
import { createRevokeByToken } from './introspection-and-revocation/revoke-by-token.ts';
import { createKeyControl } from './keys/key-control.ts';
import { argon2 } from './loading/dependencies.ts';
import { loadAll, preload } from './loading/preload.ts';
import { createSecondFactors } from './mfa/create-second-factors.ts';
import { createFactorControl } from './mfa/factor-control.ts';
import { guardedHost } from './options/guarded-host.ts';
import { instanceConfiguration } from './options/instance-configuration.ts';
import { neededModules } from './options/needed-modules.ts';
import { resolveOptions } from './options/resolve-options.ts';
import { usedParts } from './options/used-parts.ts';
import { createPasswords } from './passwords/create-passwords.ts';
import { createPersonalAccessTokenParts } from './personal-access-tokens/create-personal-access-token-parts.ts';
import { noPersonalAccessTokens } from './personal-access-tokens/personal-access-token-control.ts';
import { createSecurityEvents } from './ports/security-event-emitter.ts';
import { randomId } from './random-id.ts';
import { createReadiness } from './readiness/readiness.ts';
import { createHostLogin } from './routes/host-login.ts';
import { createRoutes } from './routes/index.ts';
import type { Scope } from './scopes/scope.ts';
import { createSessionControl } from './sessions/session-control.ts';
import { createLoginThrottle, noThrottle } from './throttle/login-throttle.ts';
import type { HostClaims, UnreservedClaims } from './tokens/host-claims.ts';
import { createCheckUserStatus } from './users/check-user-status.ts';
import { noWebhooks } from './webhooks/control/create-webhook-control.ts';
import { createWebhookParts } from './webhooks/create-webhook-parts.ts';
import { noDeliveryWorker } from './webhooks/deliveries/delivery-worker.ts';
import { drainDeadlineMs } from './webhooks/drain-deadline.ts';
import type { BuiltInEvents, EventTypes } from './webhooks/events/event-types.ts';
import { noEvents } from './webhooks/publishing/create-events.ts';

/**
 * Creates the routes, the bearer check and the host's API. Mount the result with an adapter's `latchhook`, and guard
 * routes with its `requireAuth`.
 *
 * @throws {ConfigError} for any mistake in the options, with a code and a sentence that says what to write
 *
 * @example
 * ```ts
 * import { createAuth, type UserStore } from '@latchhook/core';
 *
 * declare const users: UserStore; // look-ups in your users table
 *
 * const auth = createAuth({ issuer: 'https://api.example.com', users });
 * ```
 */
export function createAuth<
  const Events extends EventTypes = BuiltInEvents,
  Claims extends object & UnreservedClaims = HostClaims,
  Scopes extends string = Scope,
  const Kind extends keyof AccountIds = 'integer',
>(
  options: AuthOptions<Events, Claims, Scopes, AccountIds[Kind]> & {
    readonly accounts?: { readonly id?: Kind };
  },
): Auth<Events, Claims, Scope | Scopes, AccountIds[Kind]>;
export function createAuth(
  options: AnyAuthOptions,
): Auth<EventTypes, HostClaims, Scope, AccountId> {
  const resolved = resolveOptions(options);
  const { identity, scopeTable, accountIdKind, policy, clock } = resolved;
  const { signingKeys, secrets, canEncrypt, encryption } = resolved.keys;
  const securityEvents = createSecurityEvents(clock);
  const { emit } = securityEvents;
  if (resolved.onSecurityEvent) securityEvents.subscribe(resolved.onSecurityEvent);
  const modules = neededModules(resolved);
  void preload(modules);

  const { users, storage, callUserStore, callHost, callStorage, pending } = guardedHost(
    resolved,
    emit,
  );
  const { sessions, challenges, limiters, loginTransition } = storage;

  const tokens = createTokens({
    identity,
    signingKeys,
    secrets,
    cacheSize: resolved.tokenCacheSize,
    tolerance: resolved.clockTolerance,
    scopeTable,
    accountIdKind,
    policy,
    clock,
    accessTokenClaims: resolved.accessTokenClaims,
    callHost,
  });
  const { passwords, rehash } = createPasswords({
    settings: resolved.passwords,
    callUserStore,
    users,
    pending,
    emit,
  });
  const throttle =
    resolved.throttle === false
      ? noThrottle
      : createLoginThrottle(limiters, resolved.throttle, clock);
  const { enrolment, encryptedFactors, checkSecondFactor, ...factors } = createSecondFactors({
    store: storage.mfa,
    enrolmentSettings: resolved.enrolment,
    encryption,
    users,
    limiters,
    emit,
  });
  const checkUserStatus = createCheckUserStatus({ users, sessions });
  const personalAccessTokens =
    resolved.personalAccessTokens &&
    storage.personalAccessTokens &&
    createPersonalAccessTokenParts({
      store: storage.personalAccessTokens,
      users,
      checkUserStatus,
      checkSecondFactor,
      scopeTable,
      policy: resolved.personalAccessTokens,
      clock,
      emit,
    });
  const webhooks =
    resolved.webhooks &&
    createWebhookParts({
      ...resolved.webhooks,
      accountIdKind,
      encryption,
      callStorage,
      limiters,
      users,
      pending,
      clock,
      emit,
    });
  // Not by `subscribe`: a subscriber stops the printing of faults, and gets repeated rejections only once a minute.
  if (webhooks?.publishSecurityEvent) securityEvents.observe(webhooks.publishSecurityEvent);

  const cookies = resolved.cookies && createSessionCookies(resolved.cookies);
  const shared = { ...tokens, users, sessions, scopeTable, policy, clock, emit };
  const grantDeps = {
    ...shared,
    passwords,
    rehash,
    throttle,
    ...factors,
    challenges,
    loginTransition,
  };
  const { bearer, ...requestChecks } = createBearerChecks({
    verifier: tokens.accessTokens,
    sessions,
    usePersonalAccessToken: personalAccessTokens?.use,
    cookies,
    checkUserStatus,
    scopeTable,
    accountIdKind,
    emit,
  });
  const routes = createRoutes({
    passwordGrant: createPasswordGrant(grantDeps),
    refreshGrant: createRefreshGrant(grantDeps),
    challengeGrant: createChallengeGrant(grantDeps),
    introspectToken: createIntrospectToken({
      ...shared,
      usePersonalAccessToken: personalAccessTokens?.use,
    }),
    revokeByToken: createRevokeByToken({
      ...tokens,
      sessions: createSessionControl(sessions, emit, 'holder'),
      personalAccessTokens: personalAccessTokens?.control,
    }),
    identity,
    scopeTable,
    accountIdKind,
    baseUrl: resolved.baseUrl,
    signingKeys,
    putTokenDeprecation: resolved.putTokenDeprecation,
    sessions: createSessionControl(sessions, emit, 'user'),
    sessionIdleMs: policy.session.idleMs,
    cookies,
    factors: enrolment && {
      enrolment,
      checkUserStatus,
      checkSecondFactor,
      clock,
    },
    personalAccessTokens: personalAccessTokens?.registry,
    webhooks,
  });

  const readiness = createReadiness({
    // Except argon2, which `hashOnce` loads, to show that it works.
    loadModules: () => loadAll(modules.filter((module) => module !== argon2)),
    hashOnce: resolved.passwords.verifier ? undefined : () => passwords.hash(randomId()),
    // Not the guarded ones: checks have timeouts of their own, and the marks of `ofOneStore` are on the given parts.
    users: resolved.users,
    storage: resolved.storage,
    parts: usedParts(resolved),
    encrypted: { factors: encryptedFactors, webhookSecrets: webhooks?.secrets },
    configuration: instanceConfiguration(resolved),
    assertSigningKey: () => signingKeys.signingKey(),
  });
  const forHost = <Control extends object>(control: Control) => emittingFaults(control, emit);

  return {
    http: createDispatch(routes.all, { ...requestChecks, cookies, emit }),
    wellKnown: createDispatch(routes.wellKnown, { ...requestChecks, emit }),
    bearer,
    login: createHostLogin(createHostGrant(grantDeps), scopeTable, accountIdKind, emit, cookies),
    sessions: forHost(createSessionControl(sessions, emit, 'host')),
    factors: forHost(createFactorControl(challenges, storage.mfa, emit)),
    personalAccessTokens: forHost(personalAccessTokens?.control ?? noPersonalAccessTokens),
    webhooks: forHost(webhooks?.control ?? noWebhooks),
    keys: forHost(
      createKeyControl({
        factors: canEncrypt ? encryptedFactors : undefined,
        webhookSecrets: webhooks?.secrets,
      }),
    ),
    securityEvents,
    passwords: {
      hash: (password) => passwords.hash(password),
      verify: (hash, password) => passwords.verifyHash(hash, password),
    },
    events: forHost(webhooks?.events ?? noEvents),
    drainDeliveries: async (options) =>
      (webhooks ?? noDeliveryWorker).drain({ deadlineMs: drainDeadlineMs(options) }),
    ready: (options) => readiness.ready(options),
    health: () => readiness.health(),
    async close() {
      // Closed in parallel because platforms kill a process some seconds after they ask it to end.
      await Promise.all([webhooks?.close(), readiness.close(), pending.settled()]);
    },
  };
}
