import type { AuthRequest } from '../http/messages.ts';

/** The public URL of a route. */
export type RouteUrl = (request: AuthRequest, path: string) => string;

/**
 * @param baseUrl - the URL at which clients reach the routes; default: the issuer's origin and the mount path of the
 * request
 */
export function createRouteUrl(issuer: string, baseUrl: string | undefined): RouteUrl {
  const origin = baseUrl === undefined ? new URL(issuer).origin : '';
  const reference = createRouteReference(baseUrl);
  return (request, path) => origin + reference(request, path);
}

/** Like `createRouteUrl`, for headers: without a `baseUrl` the result is a path, which is right for any origin. */
export function createRouteReference(baseUrl: string | undefined): RouteUrl {
  const base = baseUrl?.replace(/\/$/, '');
  return ({ mountPath }, path) => `${base ?? mountPath}${path}`;
}
