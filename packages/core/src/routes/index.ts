import type { AccountId, AccountIdKind } from '../account-id.ts';
import { ACCESS_COOKIE } from '../cookies/cookie-policy.ts';
import type { SessionCookies } from '../cookies/session-cookies.ts';
import type { ChallengeGrant } from '../grants/challenge-grant.ts';
import type { PasswordGrant } from '../grants/password-grant.ts';
import type { RefreshGrant } from '../grants/refresh-grant.ts';
import type { IntrospectToken } from '../introspection-and-revocation/introspect-token.ts';
import type { RevokeByToken } from '../introspection-and-revocation/revoke-by-token.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { PersonalAccessTokenRegistry } from '../personal-access-tokens/personal-access-token-registry.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { Sessions } from '../sessions/session-control.ts';
import type { TokenIdentity } from '../tokens/issue-access-token.ts';
import { getJwks } from './get-jwks.ts';
import { getMetadata } from './get-metadata.ts';
import { getOpenapi } from './get-openapi.ts';
import { introspectionAnswers } from './introspection-schemas.ts';
import { postToken } from './post-token.ts';
import { postTokenChallenge } from './post-token-challenge.ts';
import { postTokenIntrospect } from './post-token-introspect.ts';
import { postTokenRevoke } from './post-token-revoke.ts';
import { type Deprecation, putToken } from './put-token.ts';
import type { Route } from './route.ts';
import { createRouteReference, createRouteUrl, type RouteUrl } from './route-url.ts';
import { tokenSchemas } from './token-schemas.ts';
import { type MfaRoutesDeps, mfaRoutes } from './users/mfa/mfa-routes.ts';
import { patRoutes } from './users/pats/pat-routes.ts';
import { sessionRoutes } from './users/sessions/session-routes.ts';
import { type WebhookRoutesDeps, webhookRoutes } from './webhooks/webhook-routes.ts';
import { createMetadataUrl, createWellKnownUrl, issuerPath } from './well-known-url.ts';

export interface RoutesDeps {
  readonly identity: TokenIdentity;
  readonly scopeTable: ScopeTable;
  /** Where clients reach the routes. Default: the mount path of a request; in the well-known documents, the issuer. */
  readonly baseUrl: string | undefined;
  readonly signingKeys: SigningKeys;
  readonly passwordGrant: PasswordGrant;
  readonly refreshGrant: RefreshGrant;
  readonly challengeGrant: ChallengeGrant;
  readonly revokeByToken: RevokeByToken;
  readonly introspectToken: IntrospectToken;
  readonly putTokenDeprecation: Deprecation;
  readonly sessions: Sessions<AccountId>;
  readonly accountIdKind: AccountIdKind;
  /** How long a session lives without a refresh, ms. */
  readonly sessionIdleMs: number;
  /** Absent: cookies are not used. */
  readonly cookies?: SessionCookies | undefined;
  /** Absent: users enrol no factors here. */
  readonly factors?: MfaRoutesDeps | undefined;
  /** Absent: there are no personal access tokens. */
  readonly personalAccessTokens?: PersonalAccessTokenRegistry | undefined;
  /** Absent: there are no webhooks. */
  readonly webhooks?: WebhookRoutesDeps | undefined;
}

export interface Routes {
  /** The table that dispatch and the OpenAPI description both read. */
  readonly all: readonly Route[];
  /** Only the well-known documents, for the root of a host that mounts the other routes under a path. */
  readonly wellKnown: readonly Route[];
}

export function createRoutes(deps: RoutesDeps): Routes {
  const { identity, scopeTable, accountIdKind, baseUrl, cookies } = deps;
  const { factors, personalAccessTokens, webhooks } = deps;
  const schemas = tokenSchemas(scopeTable, accountIdKind);
  const { issuer } = identity;
  const routeUrl = createRouteUrl(issuer, baseUrl);
  const headerReference = createRouteReference(baseUrl);
  const token = postToken(deps.passwordGrant, deps.refreshGrant, scopeTable, schemas, cookies);
  const revocation = postTokenRevoke(deps.revokeByToken, cookies);
  const introspection = postTokenIntrospect(
    deps.introspectToken,
    identity,
    introspectionAnswers[accountIdKind],
  );
  const jwks = getJwks(deps.signingKeys);
  const endpoints = { token, revocation, introspection, jwks };
  const metadata = (urlOf: RouteUrl) => getMetadata(issuer, scopeTable, urlOf, endpoints);
  const routes: Route[] = [
    token,
    putToken(deps.refreshGrant, deps.putTokenDeprecation, headerReference, schemas, cookies),
    postTokenChallenge(deps.challengeGrant, scopeTable, schemas, cookies),
    revocation,
    introspection,
    jwks,
    metadata(createMetadataUrl(issuer, baseUrl)),
    ...sessionRoutes(deps.sessions, deps.sessionIdleMs, accountIdKind, cookies),
    ...(factors === undefined ? [] : mfaRoutes(factors)),
    ...(personalAccessTokens === undefined
      ? []
      : patRoutes(personalAccessTokens, scopeTable, accountIdKind)),
    ...(webhooks === undefined ? [] : webhookRoutes(webhooks, routeUrl)),
  ];
  const wellKnownMetadata = metadata(createWellKnownUrl(issuer, baseUrl));
  return {
    all: [
      ...routes,
      getOpenapi(routes, routeUrl, {
        scopeTable,
        published: webhooks,
        accessCookie: cookies && ACCESS_COOKIE,
      }),
    ],
    // RFC 8414 3.1: the issuer's path follows the well-known path; standard clients try no other.
    wellKnown: [
      jwks,
      wellKnownMetadata,
      { ...wellKnownMetadata, path: wellKnownMetadata.path + issuerPath(issuer) },
    ],
  };
}
