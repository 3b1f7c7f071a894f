import type { AuthRequest } from '../http/messages.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import { emitRejectedToken } from '../tokens/emit-rejected-token.ts';
import type { AnyAuthInfo } from './auth-info.ts';
import type { Authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import {
  badToken,
  rejectionOfUnauthenticated,
  rejectionOfUnauthorized,
} from './bearer-rejections.ts';
import type { LoadCurrentAuth } from './load-current-auth.ts';

/** What a route of ours requires of its clients. */
export interface RouteAuth {
  readonly scope: Scope;
  /** The kind of credential that it accepts. Default: any. */
  readonly credential?: AnyAuthInfo['credential'];
  /**
   * Look the user up in the user store, and use what it grants now: for routes that create something that outlives the
   * token. Default: the scopes and accounts of the token hold until it expires.
   */
  readonly checkUserStatus?: true;
}

/** What a route that requires `TAuth` gets to know of the credential. */
export type AuthOf<TAuth extends RouteAuth> = TAuth extends {
  readonly credential: infer TCredential;
}
  ? Extract<AnyAuthInfo, { readonly credential: TCredential }>
  : AnyAuthInfo;

/**
 * Authenticates and authorizes a request to one of our own routes.
 *
 * Security: the session is checked even if the scopes of the token do not require it, so that ending it closes every
 * route of ours at once.
 *
 * @throws {AuthError} `invalid_token`, `insufficient_scope`, `access_denied`, `invalid_request`,
 * `temporarily_unavailable`
 */
export type AuthorizeRequest = (request: AuthRequest, asked: RouteAuth) => Promise<AnyAuthInfo>;

export function createAuthorizeRequest(
  authenticate: Authenticate,
  loadCurrentAuth: LoadCurrentAuth,
  scopeTable: ScopeTable,
  emit: (event: SecurityEvent) => void,
): AuthorizeRequest {
  return async (request, asked) => {
    const { authorization } = request;
    const authentication = await authenticate(authorization, { checkSession: true }, request);
    if (authentication.outcome !== 'authenticated')
      throw rejectionOfUnauthenticated(authentication);
    const claimed = authentication.auth;
    const auth = asked.checkUserStatus === true ? await loadCurrentAuth(claimed) : claimed;
    if (auth === null) {
      emitRejectedToken('user_refused', emit);
      throw badToken;
    }
    const authorized = authorize(auth, asked);
    if (authorized.outcome !== 'allowed') throw rejectionOfUnauthorized(authorized, scopeTable);
    return auth;
  };
}
