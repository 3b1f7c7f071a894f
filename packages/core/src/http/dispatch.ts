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

/** What is known of a request when its route handles it. */
export interface RouteContext {
  readonly params: PathParams;
  /** Set where the route requires a credential. */
  readonly auth: AnyAuthInfo | undefined;
  /** Rejects the request if its credential has ended since. */
  readonly assertCredentialValid: () => Promise<void>;
}

/** The part of a route that dispatch needs. */
export interface Dispatchable extends RouteAddress {
  /** What it requires of clients; absent: it is open to everybody. */
  readonly auth?: RouteAuth;
  readonly answerHeaders?: (request: AuthRequest) => AuthResponse['headers'];
  handle(request: AuthRequest, context: RouteContext): MaybePromise<AuthResponse>;
}

export interface DispatchDeps {
  readonly authorizeRequest: AuthorizeRequest;
  readonly assertCredentialValid: AssertCredentialValid;
  /** Absent: cookies do not count. */
  readonly cookies?: SessionCookies | undefined;
  readonly emit: (event: SecurityEvent) => void;
}

/**
 * Finds the route of a request and lets it answer. The only code that catches the rejection of a route.
 *
 * Security: the credential is checked before the query and the body are read, so that a stranger learns nothing from a
 * route of ours except that it exists. Before that, a request with cookies must come from a page of the app.
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
        const { route, params } = found(table.find(request), request);
        headers = route.answerHeaders?.(request);
        cookies?.assertOwnPage(request);
        const auth = route.auth && (await authorizeRequest(request, route.auth));
        const context = {
          params,
          auth,
          assertCredentialValid: () => assertCredentialValid(request),
        };
        return withHeaders(await route.handle(request, context), headers);
      } catch (error) {
        return withHeaders(errorResponse(emitRejectionOf(error, emit)), headers);
      }
    },
  };
}

/** @throws {AuthError} `not_found`, `method_not_allowed` */
function found(
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
