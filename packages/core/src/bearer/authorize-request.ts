import type { SecurityEvent } from '../ports/security-events.ts';
import type { Scope } from '../scope.ts';
import { emitRefusedToken } from '../tokens/emit-refused-token.ts';
import type { AuthInfo } from './auth-info.ts';
import type { Authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { badToken, refusalOfUnauthenticated, refusalOfUnauthorized } from './bearer-refusals.ts';
import type { LoadCurrentAuth } from './load-current-auth.ts';

/** What a route of ours requires of its clients. */
export interface RouteAuth {
  readonly scope: Scope;
  /** The kind of credential that it takes. Default: any. */
  readonly credential?: AuthInfo['credential'];
  /**
   * Look the user up in the directory, and use what it says now: for routes that make something that outlives the
   * token. Default: what the token says holds until it expires.
   */
  readonly checkStanding?: true;
}

/** What a route that requires `TAuth` learns of whose request it is. */
export type AuthOf<TAuth extends RouteAuth> = TAuth extends {
  readonly credential: infer TCredential;
}
  ? Extract<AuthInfo, { readonly credential: TCredential }>
  : AuthInfo;

/**
 * Authenticates and authorizes a request to one of our own routes.
 *
 * Security: the session is checked whatever the scopes of the token, so that ending it closes every route of ours at
 * once.
 *
 * @throws {AuthError} `invalid_token`, `insufficient_scope`, `access_denied`, `temporarily_unavailable`
 */
export type AuthorizeRequest = (
  authorization: string | undefined,
  asked: RouteAuth,
) => Promise<AuthInfo>;

export function createAuthorizeRequest(
  authenticate: Authenticate,
  loadCurrentAuth: LoadCurrentAuth,
  emit: (event: SecurityEvent) => void,
): AuthorizeRequest {
  return async (authorization, asked) => {
    const authentication = await authenticate(authorization, { checkSession: true });
    if (authentication.outcome !== 'authenticated')
      throw refusalOfUnauthenticated(authentication.outcome);
    const claimed = authentication.auth;
    const auth = asked.checkStanding === true ? await loadCurrentAuth(claimed) : claimed;
    if (auth === null) {
      emitRefusedToken('user_refused', emit);
      throw badToken;
    }
    const authorized = authorize(auth, asked);
    if (authorized.outcome !== 'allowed') throw refusalOfUnauthorized(authorized);
    return auth;
  };
}
