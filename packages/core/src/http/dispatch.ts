import { AuthError, notFound } from '../errors.ts';
import type { SecurityEvent } from '../ports/telemetry.ts';
import { errorResponse } from './error-response.ts';
import type { HttpRoutes } from './http-routes.ts';
import type { AuthRequest, AuthResponse } from './messages.ts';
import { createRouteTable, type RouteAddress, type RouteMatch } from './route-table.ts';

/** The part of a route that dispatch needs. */
export interface Dispatchable extends RouteAddress {
  readonly answerHeaders?: (request: AuthRequest) => AuthResponse['headers'];
  handle(request: AuthRequest): AuthResponse | Promise<AuthResponse>;
}

/** Finds the route of a request and answers for it. The only place where a refusal is caught. */
export function createDispatch(
  routes: readonly Dispatchable[],
  emit: (event: SecurityEvent) => void,
): HttpRoutes {
  const table = createRouteTable(routes);

  return {
    owns: table.owns,
    async handle(request) {
      let headers: AuthResponse['headers'] | undefined;
      try {
        const route = found(table.find(request));
        headers = route.answerHeaders?.(request);
        return withHeaders(await route.handle(request), headers);
      } catch (error) {
        return withHeaders(errorResponse(refusalOf(error)), headers);
      }
    },
  };

  function refusalOf(error: unknown): AuthError {
    if (error instanceof AuthError) {
      const { where = 'host' } = error.details;
      if (error.code === 'server_error') emit({ type: 'fault', where, error });
      return error;
    }
    emit({ type: 'fault', where: 'internal', error });
    return new AuthError('server_error', 'Something went wrong on our side.', { cause: error });
  }
}

/** @throws {AuthError} `not_found`, `method_not_allowed` */
function found(match: RouteMatch<Dispatchable>): Dispatchable {
  switch (match.outcome) {
    case 'found':
      return match.route;
    case 'wrong_method':
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
