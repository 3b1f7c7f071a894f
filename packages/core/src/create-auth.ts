import type { Auth } from './auth.ts';
import type { AuthOptions } from './auth-options.ts';
import { createAssertStillGood } from './bearer/assert-still-good.ts';
import { createAuthenticate } from './bearer/authenticate.ts';
import { createAuthorizeRequest } from './bearer/authorize-request.ts';
import { createBearer } from './bearer/create-bearer.ts';
import { createLoadCurrentAuth } from './bearer/load-current-auth.ts';
import { createCallBoundary } from './faults/call-boundary.ts';
import { PendingCalls } from './faults/pending-calls.ts';
import { createChallengeGrant } from './grants/challenge-grant.ts';
import { createTokens } from './grants/create-tokens.ts';
import { createHostGrant } from './grants/host-grant.ts';
import { createPasswordGrant } from './grants/password-grant.ts';
import { createRefreshGrant } from './grants/refresh-grant.ts';
import { createDispatch } from './http/dispatch.ts';
import { createKeyControl } from './keys/key-control.ts';
import { createSecondFactors } from './mfa/create-second-factors.ts';
import { createFactorControl } from './mfa/factor-control.ts';
import { resolveOptions } from './options/resolve-options.ts';
import { createPasswords } from './passwords/create-passwords.ts';
import { createPersonalAccessTokens } from './personal-access-tokens/create-personal-access-tokens.ts';
import { noPersonalAccessTokens } from './personal-access-tokens/personal-access-token-control.ts';
import { createSecurityEvents } from './ports/security-event-emitter.ts';
import { createIntrospectToken } from './presented-tokens/introspect-token.ts';
import { createRevokeByToken } from './presented-tokens/revoke-by-token.ts';
import { createHostLogin } from './routes/host-login.ts';
import { createRoutes } from './routes/index.ts';
import { createSessionControl } from './sessions/session-control.ts';
import { boundedStorage } from './storage/bounded-storage.ts';
import { createLoginThrottle, noThrottle } from './throttle/login-throttle.ts';
import { boundedUsers } from './users/bounded-users.ts';
import { createLoginStanding } from './users/login-standing.ts';
import { noEvents } from './webhooks/create-events.ts';
import { noWebhooks } from './webhooks/create-webhook-control.ts';
import { createWebhooks } from './webhooks/create-webhooks.ts';

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
export function createAuth(options: AuthOptions): Auth {
  const resolved = resolveOptions(options);
  const { identity, policy, clock } = resolved;
  const { signingKeys, secrets, encryption } = resolved.keys;
  const securityEvents = createSecurityEvents(clock);
  const { emit } = securityEvents;
  if (resolved.onSecurityEvent) securityEvents.subscribe(resolved.onSecurityEvent);

  const pending = new PendingCalls();
  const callDirectory = createCallBoundary('directory', emit, pending);
  const callStorage = createCallBoundary('storage', emit, pending);
  const callEngine = createCallBoundary('delivery', emit, pending);
  const users = boundedUsers(resolved.users, callDirectory);
  const storage = boundedStorage(resolved.storage, callStorage);
  const { sessions, challenges, limiters } = storage;

  const cacheSize = resolved.tokenCacheSize;
  const tokens = createTokens({ identity, signingKeys, secrets, cacheSize, policy, clock });
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
  const { enrolment, factorOf, checkSecondFactor } = createSecondFactors({
    enrolment: resolved.enrolment,
    encryption,
    users,
    callStorage,
    limiters,
    clock,
    emit,
  });
  const loginStanding = createLoginStanding({ users, sessions });
  const personalAccessTokens =
    resolved.personalAccessTokens &&
    storage.personalAccessTokens &&
    createPersonalAccessTokens({
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
    createWebhooks({
      ...resolved.webhooks,
      encryption: encryption(),
      callStorage,
      callEngine,
      limiters,
      clock,
      emit,
    });

  const grantDeps = {
    ...tokens,
    passwords,
    rehash,
    throttle,
    factorOf,
    users,
    sessions,
    challenges,
    policy,
    clock,
    emit,
  };
  const authenticate = createAuthenticate({
    verifier: tokens.accessTokens,
    sessions,
    usePersonalAccessToken: personalAccessTokens?.use,
  });
  const authorizeRequest = createAuthorizeRequest(
    authenticate,
    createLoadCurrentAuth(loginStanding),
  );
  const assertStillGood = createAssertStillGood(authenticate);
  const routes = createRoutes({
    passwordGrant: createPasswordGrant(grantDeps),
    refreshGrant: createRefreshGrant(grantDeps),
    challengeGrant: createChallengeGrant(grantDeps),
    introspectToken: createIntrospectToken({
      ...tokens,
      sessions,
      users,
      usePersonalAccessToken: personalAccessTokens?.use,
      policy,
      clock,
    }),
    revokeByToken: createRevokeByToken({
      ...tokens,
      sessions: createSessionControl(sessions, emit, 'holder'),
      personalAccessTokens: personalAccessTokens?.control,
    }),
    identity,
    baseUrl: resolved.baseUrl,
    signingKeys,
    putTokenDeprecation: resolved.putTokenDeprecation,
    sessions: createSessionControl(sessions, emit, 'user'),
    sessionIdleMs: policy.session.idleMs,
    factors: enrolment && {
      enrolment: enrolment.registry,
      loginStanding,
      checkSecondFactor,
      clock,
    },
    personalAccessTokens: personalAccessTokens?.registry,
    webhooks,
  });

  return {
    http: createDispatch(routes.all, { authorizeRequest, assertStillGood, emit }),
    wellKnown: createDispatch(routes.wellKnown, { authorizeRequest, assertStillGood, emit }),
    bearer: createBearer(authenticate, emit),
    login: createHostLogin(createHostGrant(grantDeps), emit),
    sessions: createSessionControl(sessions, emit, 'host'),
    factors: createFactorControl(challenges, storage.mfa, emit),
    personalAccessTokens: personalAccessTokens?.control ?? noPersonalAccessTokens,
    webhooks: webhooks?.control ?? noWebhooks,
    keys: createKeyControl({ factors: enrolment, webhookSecrets: webhooks?.secrets }),
    securityEvents,
    passwords: { hash: (password) => passwords.hash(password) },
    events: webhooks?.events ?? noEvents,
    async close() {
      await webhooks?.close();
      await pending.settled();
    },
  };
}
