import type { AssertCredentialValid } from '../bearer/assert-credential-valid.ts';
import type { AnyAuthInfo } from '../bearer/auth-info.ts';
import type { AuthorizeRequest, RouteAuth } from '../bearer/authorize-request.ts';
import type { SessionCookies } from '../cookies/session-cookies.ts';
import { AuthError, notFound } from '../errors.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { errorResponse } from './error-response.ts';
import type { HttpRoutes } from './http-routes.ts';
import type { AuthRequest, AuthResponse } from './messages.ts';
import { matchSegments, type PathParams, paramNames } from './path-pattern.ts';
import { toAuthError } from './to-auth-error.ts';
import { warnOfPreflight } from './warn-of-preflight.ts';

/** The result of routing and authorizing a request, for the handler of its route. */
export interface RouteContext {
  readonly params: PathParams;
  /** `undefined` if the route requires no credential. */
  readonly auth: AnyAuthInfo | undefined;
  /** Rejects if the credential has become invalid since the request was authorized. */
  readonly assertCredentialValid: () => Promise<void>;
}

/** The part of a route that dispatch needs. */
export interface Dispatchable {
  readonly method: string;
  /** Path below the mount. A segment in braces is a parameter: `/webhooks/{id}`. */
  readonly path: string;
  /** What the route requires of clients; absent: everybody may call it. */
  readonly auth?: RouteAuth;
  /** Headers of every response, including rejections. */
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
  const matchPath = createPathMatcher(routes);

  return {
    owns: (path) => matchPath(path) !== undefined,
    routeOf: (path) => matchPath(path)?.path,
    async handle(request) {
      let headers: AuthResponse['headers'] | undefined;
      try {
        const match = matchPath(request.path);
        if (match === undefined) throw notFound();
        const route = routeFor(request, match.byMethod);
        headers = route.answerHeaders?.(request);
        cookies?.assertOwnPage(request);
        const auth = route.auth && (await authorizeRequest(request, route.auth));
        const response = await route.handle(request, {
          params: match.params,
          auth,
          assertCredentialValid: () => assertCredentialValid(request),
        });
        return withHeaders(response, headers);
      } catch (error) {
        return withHeaders(errorResponse(toAuthError(error, emit)), headers);
      }
    },
  };
}

/** @throws {AuthError} `method_not_allowed`, which lists the methods of the path */
function routeFor(request: AuthRequest, byMethod: PathMatch['byMethod']): Dispatchable {
  const { method } = request;
  // RFC 9110 9.3.2: HEAD is GET without the content, which the host leaves out.
  const route = byMethod.get(method === 'HEAD' ? 'GET' : method);
  if (route !== undefined) return route;
  warnOfPreflight(request);
  throw new AuthError('method_not_allowed', 'This path does not answer to that method.', {
    allow: [...byMethod.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])),
  });
}

function withHeaders(
  response: AuthResponse,
  headers: AuthResponse['headers'] | undefined,
): AuthResponse {
  if (headers === undefined) return response;
  return { ...response, headers: { ...response.headers, ...headers } };
}

/** A declared path that matches the path of a request. */
interface PathMatch {
  /** The declared path. */
  readonly path: string;
  readonly byMethod: ReadonlyMap<string, Dispatchable>;
  readonly params: PathParams;
}

/** A declared path with parameters. */
interface PathPattern extends Pick<PathMatch, 'path' | 'byMethod'> {
  readonly segments: readonly string[];
}

const NO_PARAMS: PathParams = Object.freeze({});

/**
 * Matches paths to routes, byte for byte, because neither the paths nor the ids of Latchhook need decoding. A path
 * without parameters takes precedence over a path with parameters.
 *
 * Every request of the host is matched. If its path is not one of Latchhook's, that costs one or two look-ups in a map.
 */
function createPathMatcher(
  routes: readonly Dispatchable[],
): (path: string) => PathMatch | undefined {
  const plainPaths = new Map<string, PathMatch>();
  /** By the first segment, which is never a parameter: `/webhooks` for `/webhooks/{id}`. */
  const patterns = new Map<string, PathPattern[]>();
  for (const [path, byMethod] of routesByPath(routes)) {
    if (paramNames(path).length === 0) {
      plainPaths.set(path, { path, byMethod, params: NO_PARAMS });
      continue;
    }
    const firstSegment = path.slice(0, path.indexOf('/', 1));
    const siblings = patterns.get(firstSegment) ?? [];
    patterns.set(firstSegment, [...siblings, { path, byMethod, segments: path.split('/') }]);
  }

  return (path) => {
    const plain = plainPaths.get(path);
    if (plain !== undefined) return plain;
    const end = path.indexOf('/', 1);
    const candidates = end === -1 ? undefined : patterns.get(path.slice(0, end));
    if (candidates === undefined) return undefined;
    const segments = path.split('/');
    for (const pattern of candidates) {
      const params = matchSegments(pattern.segments, segments);
      if (params !== undefined) return { path: pattern.path, byMethod: pattern.byMethod, params };
    }
    return undefined;
  };
}

function routesByPath(
  routes: readonly Dispatchable[],
): ReadonlyMap<string, ReadonlyMap<string, Dispatchable>> {
  const byPath = new Map<string, Map<string, Dispatchable>>();
  for (const route of routes) {
    const byMethod = byPath.get(route.path) ?? new Map<string, Dispatchable>();
    byPath.set(route.path, byMethod.set(route.method, route));
  }
  return byPath;
}
