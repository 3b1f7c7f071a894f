import { AuthError } from '../errors.ts';
import type { SecurityEvent } from '../ports/telemetry.ts';
import { errorResponse } from './error-response.ts';
import type { HttpRoutes } from './http-routes.ts';
import type { AuthRequest, AuthResponse } from './messages.ts';

/** The part of a route that dispatch needs. */
export interface Dispatchable {
  readonly method: string;
  readonly path: string;
  readonly answerHeaders?: (request: AuthRequest) => Readonly<Record<string, string>>;
  handle(request: AuthRequest): AuthResponse | Promise<AuthResponse>;
}

/** Finds the route of a request and answers for it. The only place where a refusal is caught. */
export function createDispatch(
  routes: readonly Dispatchable[],
  emit: (event: SecurityEvent) => void,
): HttpRoutes {
  const byPath = new Map<string, Map<string, Dispatchable>>();
  for (const route of routes) {
    const methods = byPath.get(route.path) ?? new Map<string, Dispatchable>();
    byPath.set(route.path, methods.set(route.method, route));
  }

  function find({ method, path }: AuthRequest): Dispatchable {
    const methods = byPath.get(path);
    if (methods === undefined) throw new AuthError('not_found', 'There is nothing here.');
    // RFC 9110 9.3.2: HEAD is GET without the content, which the host leaves out.
    const route = methods.get(method === 'HEAD' ? 'GET' : method);
    if (route !== undefined) return route;
    const allow = [...methods.keys()].flatMap((name) =>
      name === 'GET' ? ['GET', 'HEAD'] : [name],
    );
    throw new AuthError('method_not_allowed', 'This path does not answer to that method.', {
      allow,
    });
  }

  return {
    owns: (path) => byPath.has(path),
    async handle(request) {
      const response = await answered(request);
      const headers = byPath.get(request.path)?.get(request.method)?.answerHeaders?.(request);
      return headers === undefined
        ? response
        : { ...response, headers: { ...response.headers, ...headers } };
    },
  };

  async function answered(request: AuthRequest): Promise<AuthResponse> {
    try {
      return await find(request).handle(request);
    } catch (error) {
      return errorResponse(error instanceof AuthError ? reported(error) : unexpected(error));
    }
  }

  function reported(error: AuthError): AuthError {
    const { where = 'host' } = error.details;
    if (error.code === 'server_error') emit({ type: 'fault', where, error });
    return error;
  }

  function unexpected(error: unknown): AuthError {
    emit({ type: 'fault', where: 'internal', error });
    return new AuthError('server_error', 'Something went wrong on our side.', { cause: error });
  }
}
