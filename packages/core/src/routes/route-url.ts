import type { AuthRequest } from '../http/messages.ts';

/** The public URL of a route. */
export type RouteUrl = (request: AuthRequest, path: string) => string;

/**
 * @param baseUrl where the routes are mounted, as clients see it; absent, the issuer's origin and whatever
 * path the request was mounted under
 */
export function createRouteUrl(issuer: string, baseUrl: string | undefined): RouteUrl {
  const { origin } = new URL(issuer);
  return ({ mountPath }, path) => `${baseUrl?.replace(/\/$/, '') ?? origin + mountPath}${path}`;
}
