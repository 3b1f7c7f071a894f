import type { AuthRequest } from '../http/messages.ts';

/** The public URL of a route. */
export type RouteUrl = (request: AuthRequest, path: string) => string;

/**
 * @param baseUrl - where the routes are mounted, as clients see it; default: the issuer's origin and the mount path of
 * the request
 */
export function createRouteUrl(issuer: string, baseUrl: string | undefined): RouteUrl {
  const origin = baseUrl === undefined ? new URL(issuer).origin : '';
  const reference = createRouteReference(baseUrl);
  return (request, path) => origin + reference(request, path);
}

/** The same for a header of an answer: without a `baseUrl` a path, which is right whatever origin the client used. */
export function createRouteReference(baseUrl: string | undefined): RouteUrl {
  const base = baseUrl?.replace(/\/$/, '');
  return ({ mountPath }, path) => `${base ?? mountPath}${path}`;
}
