import type { ChallengeGrant } from '../grants/challenge-grant.ts';
import type { PasswordGrant } from '../grants/password-grant.ts';
import type { RefreshGrant } from '../grants/refresh-grant.ts';
import type { PersonalAccessTokenRegistry } from '../personal-access-tokens/personal-access-token-registry.ts';
import type { IntrospectToken } from '../presented-tokens/introspect-token.ts';
import type { RevokeByToken } from '../presented-tokens/revoke-by-token.ts';
import type { Sessions } from '../sessions/session-control.ts';
import type { TokenIdentity } from '../tokens/issue-access-token.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import { getJwks } from './get-jwks.ts';
import { getMetadata } from './get-metadata.ts';
import { getOpenapi } from './get-openapi.ts';
import { postToken } from './post-token.ts';
import { postTokenChallenge } from './post-token-challenge.ts';
import { postTokenIntrospect } from './post-token-introspect.ts';
import { postTokenRevoke } from './post-token-revoke.ts';
import { type Deprecation, putToken } from './put-token.ts';
import type { Route } from './route.ts';
import type { RouteUrl } from './route-url.ts';
import { type MfaServices, mfaRoutes } from './users/mfa/mfa-routes.ts';
import { patRoutes } from './users/pats/pat-routes.ts';
import { sessionRoutes } from './users/sessions/session-routes.ts';
import { type WebhookServices, webhookRoutes } from './webhooks/webhook-routes.ts';

export interface RouteServices {
  readonly identity: TokenIdentity;
  readonly routeUrl: RouteUrl;
  readonly signingKeys: SigningKeys;
  readonly passwordGrant: PasswordGrant;
  readonly refreshGrant: RefreshGrant;
  readonly challengeGrant: ChallengeGrant;
  readonly revokeByToken: RevokeByToken;
  readonly introspectToken: IntrospectToken;
  readonly putTokenDeprecation: Deprecation;
  readonly sessions: Sessions;
  /** After so long without a refresh a session ends, ms. */
  readonly sessionIdleMs: number;
  /** Absent: users enrol no factors here. */
  readonly factors?: MfaServices | undefined;
  /** Absent: there are no personal access tokens. */
  readonly personalAccessTokens?: PersonalAccessTokenRegistry | undefined;
  /** Absent: there are no webhooks. */
  readonly webhooks?: WebhookServices | undefined;
}

/** The table that dispatch and the OpenAPI description both read. */
export function createRoutes(services: RouteServices): readonly Route[] {
  const { identity, routeUrl, factors, personalAccessTokens, webhooks } = services;
  const token = postToken(services.passwordGrant, services.refreshGrant);
  const revocation = postTokenRevoke(services.revokeByToken);
  const introspection = postTokenIntrospect(services.introspectToken, identity);
  const jwks = getJwks(services.signingKeys);
  const routes: Route[] = [
    token,
    putToken(services.refreshGrant, services.putTokenDeprecation),
    postTokenChallenge(services.challengeGrant),
    revocation,
    introspection,
    jwks,
    getMetadata(identity.issuer, routeUrl, { token, revocation, introspection, jwks }),
    ...sessionRoutes(services.sessions, services.sessionIdleMs),
    ...(factors === undefined ? [] : mfaRoutes(factors)),
    ...(personalAccessTokens === undefined ? [] : patRoutes(personalAccessTokens)),
    ...(webhooks === undefined ? [] : webhookRoutes(webhooks, routeUrl)),
  ];
  return [...routes, getOpenapi(routes, routeUrl)];
}
