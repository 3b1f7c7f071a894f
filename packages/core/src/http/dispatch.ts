import type { AssertCredentialValid } from '../bearer/assert-credential-valid.ts';
import type { AnyAuthInfo } from '../bearer/auth-info.ts';
import type { AuthorizeRequest, RouteAuth } from '../bearer/authorize-request.ts';
import type { SessionCookies } from '../cookies/session-cookies.ts';
import { AuthError, notFound } from '../errors.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { emitRejectionOf } from './emit-rejection-of.ts';
import { errorResponse } from './error-response.ts';
import type { HttpRoutes } from './http-routes.ts';
import type { AuthRequest, AuthResponse } from './messages.ts';
import type { PathParams } from './path-pattern.ts';
import { createRouteTable, type RouteAddress, type RouteMatch } from './route-table.ts';
import { warnOfPreflight } from './warn-of-preflight.ts';

/** The result of routing and authorizing a request, for the handler of its route. */
export interface RouteContext {
  readonly params: PathParams;
  /** `undefined` if the route requires no credential. */
  readonly auth: AnyAuthInfo | undefined;
  /** Rejects if the credential has become invalid since then. */
  readonly assertCredentialValid: () => Promise<void>;
}

/** The part of a route that dispatch needs. */
export interface Dispatchable extends RouteAddress {
  /** What the route requires of clients; absent: everybody may call it. */
  readonly auth?: RouteAuth;
  readonly answerHeaders?: (request: AuthRequest) => AuthResponse['headers'];
  handle(request: AuthRequest, context: RouteContext): MaybePromise<AuthResponse>;
}

export interface DispatchDeps {
  readonly authorizeRequest: AuthorizeRequest;
  readonly assertCredentialValid: AssertCredentialValid;
  /** Absent: cookies are ignored. */
  readonly cookies?: SessionCookies | undefined;
  readonly emit: (event: SecurityEvent) => void;
}

/**
 * Finds the route of a request, calls its handler, and turns any error into a response: no other code catches the
 * errors of routes.
 *
 * Security: the credential is checked before the query and the body are read, so that a stranger learns nothing except
 * that the route exists. Before that, a request that asks for cookies must come from a page of the app.
 */
export function createDispatch(
  routes: readonly Dispatchable[],
  { authorizeRequest, assertCredentialValid, cookies, emit }: DispatchDeps,
): HttpRoutes {
  const table = createRouteTable(routes);

  return {
    owns: table.owns,
    routeOf: table.routeOf,
    async handle(request) {
      let headers: AuthResponse['headers'] | undefined;
      try {
        const { route, params } = routeOrThrow(table.find(request), request);
        headers = route.answerHeaders?.(request);
        cookies?.assertOwnPage(request);
        const auth = route.auth && (await authorizeRequest(request, route.auth));
        const response = await route.handle(request, {
          params,
          auth,
          assertCredentialValid: () => assertCredentialValid(request),
        });
        return withHeaders(response, headers);
      } catch (error) {
        return withHeaders(errorResponse(emitRejectionOf(error, emit)), headers);
      }
    },
  };
}

/** @throws {AuthError} `not_found`, `method_not_allowed` */
function routeOrThrow(
  match: RouteMatch<Dispatchable>,
  request: AuthRequest,
): Extract<RouteMatch<Dispatchable>, { outcome: 'found' }> {
  switch (match.outcome) {
    case 'found':
      return match;
    case 'wrong_method':
      warnOfPreflight(request);
      throw new AuthError('method_not_allowed', 'This path does not answer to that method.', {
        allow: match.allow,
      });
    case 'not_ours':
      throw notFound();
  }
}

function withHeaders(
  response: AuthResponse,
  headers: AuthResponse['headers'] | undefined,
): AuthResponse {
  if (headers === undefined) return response;
  return { ...response, headers: { ...response.headers, ...headers } };
}
