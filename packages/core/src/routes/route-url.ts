import type { AuthRequest } from '../http/messages.ts';

/** The public URL of a route. */
export type RouteUrl = (request: AuthRequest, path: string) => string;

/**
 * @param baseUrl where the routes are mounted, as clients see it; absent, the issuer's origin and whatever
 * path the request was mounted under
 */
export function createRouteUrl(issuer: string, baseUrl: string | undefined): RouteUrl {
  const origin = baseUrl === undefined ? new URL(issuer).origin : '';
  const reference = createRouteReference(baseUrl);
  return (request, path) => origin + reference(request, path);
}

/** The same for a header of an answer: absent a `baseUrl`, a path, which holds whatever origin the client asked. */
export function createRouteReference(baseUrl: string | undefined): RouteUrl {
  const base = baseUrl?.replace(/\/$/, '');
  return ({ mountPath }, path) => `${base ?? mountPath}${path}`;
}
