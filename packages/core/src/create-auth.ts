import type { Auth } from './auth.ts';
import type { AuthOptions } from './auth-options.ts';
import type { Bearer } from './bearer/bearer.ts';
import { createBearerChecks } from './bearer/create-bearer-checks.ts';
import { emittingFaults } from './faults/emitting-faults.ts';
import { createClaimsOfHost } from './grants/claims-of-host.ts';
import { createGrants } from './grants/create-grants.ts';
import { createTokens } from './grants/create-tokens.ts';
import { createDispatch } from './http/dispatch.ts';
import { createKeyControl } from './keys/key-control.ts';
import { argon2 } from './loading/dependencies.ts';
import { loadAll, preload } from './loading/preload.ts';
import { createSecondFactors } from './mfa/create-second-factors.ts';
import { createFactorControl } from './mfa/factor-control.ts';
import { guardedHost } from './options/guarded-host.ts';
import { instanceConfiguration, usedParts } from './options/instance.ts';
import { neededModules } from './options/needed-modules.ts';
import { resolveOptions } from './options/resolve-options.ts';
import { createPasswords } from './passwords/create-passwords.ts';
import { createPersonalAccessTokenParts } from './personal-access-tokens/create-personal-access-token-parts.ts';
import { noPersonalAccessTokens } from './personal-access-tokens/personal-access-token-control.ts';
import { createSecurityEvents } from './ports/security-event-emitter.ts';
import { createPresentedTokens } from './presented-tokens/create-presented-tokens.ts';
import { randomId } from './random-id.ts';
import { createReadiness } from './readiness/readiness.ts';
import { createHostLogin } from './routes/host-login.ts';
import { createRoutes } from './routes/index.ts';
import { createSessionControl } from './sessions/session-control.ts';
import { createLoginThrottle, noThrottle } from './throttle/login-throttle.ts';
import type { HostClaims } from './tokens/host-claims.ts';
import { createLoginStanding } from './users/login-standing.ts';
import { noWebhooks } from './webhooks/control/create-webhook-control.ts';
import { createWebhookParts } from './webhooks/create-webhook-parts.ts';
import { noDeliveryWorker } from './webhooks/deliveries/delivery-worker.ts';
import type { EventTypes, GivenEvents } from './webhooks/events/event-types.ts';
import { noEvents } from './webhooks/publishing/create-events.ts';

/**
 * Puts everything together. Mount the result with an adapter's `latchhook`, and guard routes with its
 * `requireAuth`.
 *
 * @throws {ConfigError} for any mistake in the options, with a code and a sentence that says what to write
 *
 * @example
 * ```ts
 * import { createAuth, type UserDirectory } from '@latchhook/core';
 *
 * declare const users: UserDirectory; // look-ups in your users table
 *
 * const auth = createAuth({ issuer: 'https://api.example.com', users });
 * ```
 */
export function createAuth<
  const Events extends EventTypes = GivenEvents,
  Claims extends HostClaims = HostClaims,
>(options: AuthOptions<Events, Claims>): Auth<Events, Claims> {
  const resolved = resolveOptions(options);
  const { identity, policy, clock } = resolved;
  const { signingKeys, secrets, encrypts, encryption } = resolved.keys;
  const securityEvents = createSecurityEvents(clock);
  const { emit } = securityEvents;
  if (resolved.onSecurityEvent) securityEvents.subscribe(resolved.onSecurityEvent);
  const modules = neededModules(resolved);
  void preload(modules);

  const { users, storage, callDirectory, callStorage, pending } = guardedHost(resolved, emit);
  const { sessions, challenges, limiters } = storage;

  const tokens = createTokens({
    identity,
    signingKeys,
    secrets,
    cacheSize: resolved.tokenCacheSize,
    tolerance: resolved.clockTolerance,
    policy,
    clock,
  });
  const { passwords, rehash } = createPasswords({
    settings: resolved.passwords,
    callDirectory,
    users,
    pending,
    emit,
  });
  const throttle =
    resolved.throttle === false
      ? noThrottle
      : createLoginThrottle(limiters, resolved.throttle, clock);
  const { enrolment, sealed, factorOf, checkSecondFactor } = createSecondFactors({
    store: storage.mfa,
    enrolment: resolved.enrolment,
    encryption,
    users,
    limiters,
    clock,
    emit,
  });
  const loginStanding = createLoginStanding({ users, sessions });
  const personalAccessTokens =
    resolved.personalAccessTokens &&
    storage.personalAccessTokens &&
    createPersonalAccessTokenParts({
      store: storage.personalAccessTokens,
      users,
      loginStanding,
      checkSecondFactor,
      policy: resolved.personalAccessTokens,
      clock,
      emit,
    });
  const webhooks =
    resolved.webhooks &&
    createWebhookParts({
      ...resolved.webhooks,
      encryption: encryption(),
      callStorage,
      limiters,
      clock,
      emit,
    });

  const claimsOfHost = createClaimsOfHost(resolved.accessTokenClaims, callDirectory);
  const shared = { ...tokens, users, sessions, claimsOfHost, policy, clock, emit };
  const grants = createGrants({ ...shared, passwords, rehash, throttle, factorOf, challenges });
  const { bearer, ...requestChecks } = createBearerChecks({
    verifier: tokens.accessTokens,
    sessions,
    usePersonalAccessToken: personalAccessTokens?.use,
    loginStanding,
    emit,
  });
  const routes = createRoutes({
    ...grants,
    ...createPresentedTokens({ ...shared, personalAccessTokens }),
    identity,
    baseUrl: resolved.baseUrl,
    signingKeys,
    putTokenDeprecation: resolved.putTokenDeprecation,
    sessions: createSessionControl(sessions, emit, 'user'),
    sessionIdleMs: policy.session.idleMs,
    factors: enrolment && {
      enrolment,
      loginStanding,
      checkSecondFactor,
      clock,
    },
    personalAccessTokens: personalAccessTokens?.registry,
    webhooks,
  });

  const readiness = createReadiness({
    // Whether argon2 is there is shown by the hash.
    loadModules: () => loadAll(modules.filter((module) => module !== argon2)),
    hashOnce: resolved.passwords.verifier ? undefined : () => passwords.hash(randomId()),
    users: resolved.users,
    storage: resolved.storage,
    parts: usedParts(resolved),
    sealed: { factors: sealed, webhookSecrets: webhooks?.secrets },
    configuration: instanceConfiguration(resolved),
    assertSigningKey: () => signingKeys.signingKey(),
  });
  const forHost = <Control extends object>(control: Control) => emittingFaults(control, emit);

  return {
    http: createDispatch(routes.all, { ...requestChecks, emit }),
    wellKnown: createDispatch(routes.wellKnown, { ...requestChecks, emit }),
    // The claims are what the option has made them.
    bearer: bearer as Bearer<Claims>,
    login: createHostLogin(grants.hostGrant, emit),
    sessions: forHost(createSessionControl(sessions, emit, 'host')),
    factors: forHost(createFactorControl(challenges, storage.mfa, emit)),
    personalAccessTokens: forHost(personalAccessTokens?.control ?? noPersonalAccessTokens),
    webhooks: forHost(webhooks?.control ?? noWebhooks),
    keys: forHost(
      createKeyControl({
        factors: encrypts ? sealed : undefined,
        webhookSecrets: webhooks?.secrets,
      }),
    ),
    securityEvents,
    passwords: {
      hash: (password) => passwords.hash(password),
      verify: (hash, password) => passwords.verifyHash(hash, password),
    },
    events: forHost(webhooks?.events ?? noEvents),
    drainDeliveries: (options) => (webhooks ?? noDeliveryWorker).drain(options),
    ready: (options) => readiness.ready(options),
    health: () => readiness.health(),
    async close() {
      // Beside each other: hosts are killed some seconds after they were told to end.
      await Promise.all([webhooks?.close(), readiness.close(), pending.settled()]);
    },
  };
}
