import type { SessionCookies } from '../cookies/session-cookies.ts';
import type { AuthError } from '../errors.ts';
import type { RequestHead } from '../http/request-head.ts';
import { type MaybePromise, whenResolved } from '../maybe-promise.ts';
import { claimsToBePersonal } from '../personal-access-tokens/personal-access-token.ts';
import type { UsePersonalAccessToken } from '../personal-access-tokens/use-personal-access-token.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { SessionStore } from '../storage/session-store.ts';
import type { AccessTokenOutcome } from '../tokens/access-token.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import type { AccessTokenVerifier } from '../tokens/access-token-verifier.ts';
import { emitRejectedToken } from '../tokens/emit-rejected-token.ts';
import type { AnyAuthInfo } from './auth-info.ts';
import { parseAuthorization, readToken } from './authorization-header.ts';
import type { BearerRequirement } from './bearer.ts';

/** Whether the store must be asked if the session of the credential is live. */
type Liveness = Pick<BearerRequirement, 'checkSession'>;

/** The result of authenticating a request by its `Authorization` header or its cookies. */
export type Authentication =
  | { readonly outcome: 'authenticated'; readonly auth: AnyAuthInfo }
  /** The request has no credential, or a credential of another scheme than `Bearer`. */
  | { readonly outcome: 'absent' }
  /** The token is malformed, forged, expired, revoked or for another audience: the client gets one error for all. */
  | { readonly outcome: 'invalid' }
  /** The request has cookies, but comes from no page of the app, or carries a second credential. */
  | { readonly outcome: 'rejected'; readonly error: AuthError };

/**
 * Authenticates a request. Returns without a promise if the token is in the cache and the session need not be checked.
 *
 * @param head - the request with its cookies; absent: cookies are ignored
 * @throws {AuthError} `temporarily_unavailable` if the session has to be checked and the store does not answer
 */
export type Authenticate = (
  authorization: string | undefined,
  requirement: Liveness,
  head?: RequestHead,
) => MaybePromise<Authentication>;

export interface AuthenticateDeps {
  readonly verifier: AccessTokenVerifier;
  /** Its calls have a timeout: a call that never settled would hold the request for ever. */
  readonly sessions: Pick<SessionStore, 'isLive'>;
  /** Absent: the app has no personal access tokens, and rejects every token that has their prefix. */
  readonly usePersonalAccessToken?: UsePersonalAccessToken | undefined;
  /** Absent: cookies are ignored. */
  readonly cookies?: SessionCookies | undefined;
  readonly scopeTable: ScopeTable;
  readonly emit: (event: SecurityEvent) => void;
}

const ABSENT: Authentication = { outcome: 'absent' };
const INVALID: Authentication = { outcome: 'invalid' };

/**
 * Security: whether a session is live is never cached, so a revocation takes effect on the next request that checks the
 * session; if the store does not answer, nobody is authenticated. The same holds for a personal access token, unless
 * the host sets `personalAccessTokens.staleSeconds`, which caches tokens for its own routes.
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const { verifier, sessions, usePersonalAccessToken, cookies, scopeTable, emit } = deps;

  return (authorization, requirement, head) => {
    const header = parseAuthorization(authorization);
    if (cookies !== undefined && head?.headers['cookie'] !== undefined) {
      const cookie = cookies.credentialOf(head, header.kind !== 'none');
      if (cookie.outcome === 'rejected') return cookie;
      if (cookie.outcome === 'found') return byCookie(cookie.accessToken, requirement);
    }
    if (header.kind === 'none') return ABSENT;
    if (header.kind === 'malformed') return INVALID;
    if (claimsToBePersonal(header.token)) return byPersonalAccessToken(header.token, requirement);
    return verify(header.token, requirement);
  };

  function byCookie(cookie: string, requirement: Liveness): MaybePromise<Authentication> {
    const read = readToken(cookie);
    return read.kind === 'malformed' ? INVALID : verify(read.token, requirement);
  }

  function verify(token: string, requirement: Liveness): MaybePromise<Authentication> {
    return whenResolved(verifier.verify(token), (verified) => byAccessToken(verified, requirement));
  }

  function byAccessToken(
    verified: AccessTokenOutcome,
    { checkSession }: Liveness,
  ): MaybePromise<Authentication> {
    if (verified.outcome === 'invalid') return reject(verified.reason);
    const { info } = verified;
    return checkSession === true || scopeTable.needsLiveness(info.scopes)
      ? whileSessionLives(info)
      : { outcome: 'authenticated', auth: info };
  }

  function byPersonalAccessToken(
    token: string,
    { checkSession }: Liveness,
  ): MaybePromise<Authentication> {
    const lookup = usePersonalAccessToken?.(token, checkSession === true ? 'current' : 'recent');
    // The app has no such tokens, or the checksum is wrong. No promise, because bad tokens may come in floods.
    if (!lookup) return INVALID;
    return lookup.then((auth) => (auth ? { outcome: 'authenticated', auth } : INVALID));
  }

  async function whileSessionLives(info: AccessTokenInfo): Promise<Authentication> {
    const { userId, sessionId } = info;
    const live = await sessions.isLive({ userId, sessionId });
    // Fails closed: an adapter without types may return anything.
    return live === true ? { outcome: 'authenticated', auth: info } : reject('session_ended');
  }

  function reject(reason: Parameters<typeof emitRejectedToken>[0]): Authentication {
    emitRejectedToken(reason, emit);
    return INVALID;
  }
}
