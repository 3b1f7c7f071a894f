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

/** What a route of Latchhook requires of its clients. */
export interface RouteAuth {
  readonly scope: Scope;
  /** The kind of credential that the route accepts. Default: any. */
  readonly credential?: AnyAuthInfo['credential'];
  /**
   * Look the user up, and use only the scopes and accounts that the user still has: for routes that create something
   * that outlives the token. Default: the scopes and accounts of the token hold until it expires.
   */
  readonly checkUserStatus?: true;
}

/** The `AuthInfo` that a route gets if it requires `TAuth`. */
export type AuthOf<TAuth extends RouteAuth> = TAuth extends {
  readonly credential: infer TCredential;
}
  ? Extract<AnyAuthInfo, { readonly credential: TCredential }>
  : AnyAuthInfo;

/**
 * Authenticates and authorizes a request to one of Latchhook's own routes.
 *
 * Security: the session is checked even if the scopes of the token do not require it, so that these routes reject a
 * token as soon as its session has ended.
 *
 * @throws {AuthError} `invalid_token`, `insufficient_scope`, `access_denied`, `invalid_request`,
 * `temporarily_unavailable`
 */
export type AuthorizeRequest = (request: AuthRequest, required: RouteAuth) => Promise<AnyAuthInfo>;

export function createAuthorizeRequest(
  authenticate: Authenticate,
  loadCurrentAuth: LoadCurrentAuth,
  scopeTable: ScopeTable,
  emit: (event: SecurityEvent) => void,
): AuthorizeRequest {
  return async (request, required) => {
    const { authorization } = request;
    const authentication = await authenticate(authorization, { checkSession: true }, request);
    if (authentication.outcome !== 'authenticated')
      throw rejectionOfUnauthenticated(authentication);
    const tokenAuth = authentication.auth;
    const auth = required.checkUserStatus === true ? await loadCurrentAuth(tokenAuth) : tokenAuth;
    if (auth === null) {
      emitRejectedToken('user_rejected', emit);
      throw badToken;
    }
    const result = authorize(auth, required);
    if (result.outcome !== 'allowed') throw rejectionOfUnauthorized(result, scopeTable);
    return auth;
  };
}
