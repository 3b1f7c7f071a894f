import type { Scope } from '../scope.ts';
import type { AuthInfo } from './auth-info.ts';
import type { Authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { refusalOfStranger, refusalOfUnauthorized } from './bearer-refusals.ts';

/** What a route of ours asks of its callers. */
export interface RouteAuth {
  readonly scope: Scope;
  /** The kind of credential that it takes. Default: any. */
  readonly credential?: AuthInfo['credential'];
}

/** Whose request it is, where that was asked. */
export type AuthOf<TAuth extends RouteAuth> = TAuth extends {
  readonly credential: infer TCredential;
}
  ? Extract<AuthInfo, { readonly credential: TCredential }>
  : AuthInfo;

/**
 * Says whose request it is, for routes of our own.
 *
 * Security: the session is asked for whatever the token carries, so that ending it closes every route of ours
 * at once.
 *
 * @throws {AuthError} `invalid_token`, `insufficient_scope`, `access_denied`, `temporarily_unavailable`
 */
export type RouteGuard = (authorization: string | undefined, asked: RouteAuth) => Promise<AuthInfo>;

export function createRouteGuard(authenticate: Authenticate): RouteGuard {
  return async (authorization, asked) => {
    const authentication = await authenticate(authorization, { checkSession: true });
    if (authentication.outcome !== 'authenticated') throw refusalOfStranger(authentication.outcome);
    const authorized = authorize(authentication.auth, asked);
    if (authorized.outcome !== 'allowed') throw refusalOfUnauthorized(authorized);
    return authentication.auth;
  };
}
