import type { Auth } from './auth.ts';
import type { AuthOptions } from './auth-options.ts';
import { createAuthNow } from './bearer/auth-now.ts';
import { createAuthenticate } from './bearer/authenticate.ts';
import { createAuthorizeRequest } from './bearer/authorize-request.ts';
import { createBearer } from './bearer/create-bearer.ts';
import { type CallBoundary, createCallBoundary } from './faults/call-boundary.ts';
import { createChallengeGrant } from './grants/challenge-grant.ts';
import { createIssueTokens } from './grants/issue-tokens.ts';
import { createPasswordGrant } from './grants/password-grant.ts';
import { createRefreshGrant } from './grants/refresh-grant.ts';
import { createDispatch } from './http/dispatch.ts';
import { createKeyControl } from './keys/key-control.ts';
import { createChallengeTokens } from './mfa/challenge-token.ts';
import { createEnrolment } from './mfa/create-enrolment.ts';
import { createFactorControl } from './mfa/factor-control.ts';
import { createFactorShown } from './mfa/factor-shown.ts';
import { createFactorOf } from './mfa/user-factor.ts';
import { resolveOptions } from './options/resolve-options.ts';
import type { PasswordOptions } from './passwords/password-options.ts';
import { createPasswordVerifier } from './passwords/password-verifier.ts';
import { createRehasher } from './passwords/rehash.ts';
import { createRehashReporter } from './passwords/rehash-reporter.ts';
import { createPersonalAccessTokens } from './personal-access-tokens/create-personal-access-tokens.ts';
import { noPersonalAccessTokens } from './personal-access-tokens/personal-access-token-control.ts';
import { createSecurityEvents } from './ports/security-event-emitter.ts';
import { createIntrospectToken } from './presented-tokens/introspect-token.ts';
import { createRevokeByToken } from './presented-tokens/revoke-by-token.ts';
import { createRoutes } from './routes/index.ts';
import { createRefreshTokens } from './sessions/refresh-token.ts';
import { createSessionControl } from './sessions/session-control.ts';
import { boundedMfa, boundedStorage } from './storage/bounded-storage.ts';
import { createLoginThrottle, noThrottle } from './throttle/login-throttle.ts';
import { createAccessTokenVerifier } from './tokens/access-token-verifier.ts';
import { createIssueAccessToken } from './tokens/issue-access-token.ts';
import { boundedUsers } from './users/bounded-users.ts';
import { createLoginStanding } from './users/login-standing.ts';
import { noEvents } from './webhooks/create-events.ts';
import { createWebhooks } from './webhooks/create-webhooks.ts';
import { createSecretBox } from './webhooks/secret-box.ts';

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
  const { issuer, audience, clientId, policy, keys, clock, ...resolved } = resolveOptions(options);
  const { signingKeys, secrets } = keys;

  const securityEvents = createSecurityEvents(clock);
  const { emit } = securityEvents;
  if (resolved.onSecurityEvent) securityEvents.subscribe(resolved.onSecurityEvent);

  const callDirectory = createCallBoundary('directory', emit);
  const users = boundedUsers(resolved.users, callDirectory);
  const callStorage = createCallBoundary('storage', emit);
  const storage = boundedStorage(resolved.storage, callStorage);
  const { sessions, challenges, limiters } = storage;

  const accessTokens = createAccessTokenVerifier({
    keys: signingKeys,
    clock,
    issuer,
    audience,
    cacheSize: resolved.tokenCacheSize,
  });
  const refreshTokens = createRefreshTokens(secrets);
  const challengeTokens = createChallengeTokens(secrets);
  const issueTokens = createIssueTokens(
    createIssueAccessToken(signingKeys, { issuer, audience, clientId }),
    refreshTokens,
    policy,
    clock,
  );

  const passwords = createPasswordVerifier(boundedPasswords(resolved.passwords, callDirectory));
  const rehash = createRehasher({
    verifier: passwords,
    users,
    onOutcome: createRehashReporter(emit),
  });
  const throttle =
    resolved.throttle === false
      ? noThrottle
      : createLoginThrottle(limiters, resolved.throttle, clock);

  const enrolment =
    resolved.enrolment &&
    createEnrolment({
      store: boundedMfa(resolved.enrolment.store, callStorage),
      limiters,
      encryption: resolved.enrolment.encryption,
      issuerName: resolved.enrolment.issuerName,
      clock,
      emit,
    });
  const factorOf = createFactorOf(users, enrolment?.enrolled);
  const factorShown = createFactorShown(enrolment?.store);
  const loginStanding = createLoginStanding({ users, sessions });

  const personalAccessTokens =
    resolved.personalAccessTokens &&
    storage.personalAccessTokens &&
    createPersonalAccessTokens({
      store: storage.personalAccessTokens,
      users,
      loginStanding,
      factorShown,
      policy: resolved.personalAccessTokens,
      clock,
      emit,
    });
  const usePersonalAccessToken = personalAccessTokens?.use;
  const webhooks =
    resolved.webhooks &&
    createWebhooks({
      stores: resolved.webhooks.stores,
      callStorage,
      limiters,
      box: createSecretBox(resolved.webhooks.encryption),
      engine: resolved.webhooks.delivery,
      callEngine: createCallBoundary('delivery', emit),
      schemas: resolved.webhooks.schemas,
      policy: resolved.webhooks.policy,
      clock,
      emit,
    });
  const deps = {
    users,
    factorOf,
    challenges,
    sessions,
    refreshTokens,
    challengeTokens,
    issueTokens,
    passwords,
    throttle,
    rehash,
    policy,
    clock,
    emit,
  };
  const routes = createRoutes({
    identity: { issuer, audience, clientId },
    baseUrl: resolved.baseUrl,
    signingKeys,
    passwordGrant: createPasswordGrant(deps),
    refreshGrant: createRefreshGrant(deps),
    challengeGrant: createChallengeGrant(deps),
    revokeByToken: createRevokeByToken({
      refreshTokens,
      accessTokens,
      sessions: createSessionControl(sessions, emit, 'holder'),
      personalAccessTokens: personalAccessTokens?.control,
    }),
    introspectToken: createIntrospectToken({
      accessTokens,
      refreshTokens,
      sessions,
      users,
      usePersonalAccessToken,
      policy,
      clock,
    }),
    putTokenDeprecation: resolved.putTokenDeprecation,
    sessions: createSessionControl(sessions, emit, 'user'),
    sessionIdleMs: policy.session.idleMs,
    factors: enrolment && {
      enrolment: enrolment.registry,
      loginStanding,
      factorShown,
      clock,
    },
    personalAccessTokens: personalAccessTokens?.registry,
    webhooks,
  });

  const authenticate = createAuthenticate({
    verifier: accessTokens,
    sessions,
    usePersonalAccessToken,
  });
  const dispatchDeps = {
    authorizeRequest: createAuthorizeRequest(authenticate, createAuthNow(loginStanding)),
    emit,
  };

  return {
    http: createDispatch(routes.all, dispatchDeps),
    wellKnown: createDispatch(routes.wellKnown, dispatchDeps),
    bearer: createBearer(authenticate, emit),
    sessions: createSessionControl(sessions, emit, 'host'),
    factors: createFactorControl(challenges, enrolment?.store, emit),
    personalAccessTokens: personalAccessTokens?.control ?? noPersonalAccessTokens,
    keys: createKeyControl({ factors: enrolment, webhookSecrets: webhooks?.secrets }),
    securityEvents,
    passwords: { hash: (password) => passwords.hash(password) },
    events: webhooks?.events ?? noEvents,
    close: async () => webhooks?.close(),
  };
}

/** A verifier of the host's counts as part of its directory, and is bounded like it. */
function boundedPasswords(passwords: PasswordOptions, call: CallBoundary): PasswordOptions {
  const { verifier } = passwords;
  if (verifier === undefined) return passwords;
  return {
    ...passwords,
    verifier: (...login: Parameters<typeof verifier>) => call(() => verifier(...login)),
  };
}
