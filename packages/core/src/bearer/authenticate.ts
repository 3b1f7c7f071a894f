import type { Scope } from '../scope.ts';
import type { SessionStore } from '../storage/session-store.ts';
import type { AccessTokenOutcome } from '../tokens/access-token.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import type { AccessTokenVerifier } from '../tokens/access-token-verifier.ts';
import type { AuthInfo } from './auth-info.ts';
import { parseAuthorization } from './authorization-header.ts';
import type { BearerRequirement } from './bearer.ts';

/** Whose request it is, by its `Authorization`. */
export type Authentication =
  | { readonly outcome: 'authenticated'; readonly auth: AuthInfo }
  /** No credential came, or one of a scheme that is not ours. */
  | { readonly outcome: 'absent' }
  /** Malformed, forged, expired, revoked, or for somebody else: the client is told the same. */
  | { readonly outcome: 'invalid' };

/**
 * Finds out whose request it is. At once, without a promise, where the token has been seen before and the
 * session need not be asked for.
 *
 * @throws {AuthError} `temporarily_unavailable` where the session had to be asked for and could not be
 */
export type Authenticate = (
  authorization: string | undefined,
  requirement: Pick<BearerRequirement, 'checkSession'>,
) => Authentication | Promise<Authentication>;

export interface AuthenticateServices {
  readonly verifier: AccessTokenVerifier;
  /** Guarded: a call that never settled would hold the request for ever. */
  readonly sessions: Pick<SessionStore, 'isLive'>;
}

/** With one of these a token is asked after at every request: it must end with its session, at once. */
const CHECKED_SCOPES: readonly Scope[] = ['admin', 'internal', 'auth'];

const ABSENT: Authentication = { outcome: 'absent' };
const INVALID: Authentication = { outcome: 'invalid' };

/**
 * Security: that a session lives is remembered by nobody, so a revocation works on the next request; and where
 * it cannot be asked, nobody is authenticated.
 */
export function createAuthenticate({ verifier, sessions }: AuthenticateServices): Authenticate {
  return (authorization, requirement) => {
    const header = parseAuthorization(authorization);
    if (header.kind === 'none') return ABSENT;
    if (header.kind === 'malformed') return INVALID;
    const verified = verifier.verify(header.token);
    return verified instanceof Promise
      ? verified.then((outcome) => byAccessToken(outcome, requirement))
      : byAccessToken(verified, requirement);
  };

  function byAccessToken(
    verified: AccessTokenOutcome,
    { checkSession }: Parameters<Authenticate>[1],
  ): Authentication | Promise<Authentication> {
    if (verified.outcome === 'invalid') return INVALID;
    const { info } = verified;
    return checkSession === true || carriesCheckedScope(info)
      ? whileSessionLives(info)
      : { outcome: 'authenticated', auth: info };
  }

  async function whileSessionLives(info: AccessTokenInfo): Promise<Authentication> {
    const { userId, sessionId } = info;
    const live = await sessions.isLive({ userId, sessionId });
    // Closes on doubt: an adapter without types may answer anything.
    return live === true ? { outcome: 'authenticated', auth: info } : INVALID;
  }
}

function carriesCheckedScope(info: AccessTokenInfo): boolean {
  return CHECKED_SCOPES.some((scope) => info.scopes.includes(scope));
}
