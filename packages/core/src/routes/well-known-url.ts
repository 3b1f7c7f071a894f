import type { AuthRequest } from '../http/messages.ts';
import { warn } from '../warning.ts';
import { createRouteUrl, type RouteUrl } from './route-url.ts';

/** The issuer's path without the slash at its end, which RFC 8414 3.1 removes: `''` or `/v1/auth`. */
export function issuerPath(issuer: string): string {
  return new URL(issuer).pathname.replace(/\/$/, '');
}

/**
 * The public URL of a route, for documents that are mounted apart from the routes: a request for a document does not
 * show where the routes are.
 *
 * @param baseUrl - default: the issuer, because the routes are most likely below its path. Warns once if the issuer has
 * no path: routes at the root would need no documents apart from them, so they are probably elsewhere.
 */
export function createWellKnownUrl(issuer: string, baseUrl: string | undefined): RouteUrl {
  if (baseUrl !== undefined) return createRouteUrl(issuer, baseUrl);
  const { origin } = new URL(issuer);
  const belowIssuer = createRouteUrl(issuer, origin + issuerPath(issuer));
  return warningOnce(belowIssuer, (_request, url) =>
    issuerPath(issuer) === ''
      ? `auth.wellKnown tells clients that a route is at ${url}: set baseUrl to where latchhook(auth) is mounted, such as ${origin}/auth`
      : null,
  );
}

/**
 * The public URL of a route, for the metadata among the routes.
 *
 * Warns once if the issuer has a path and the routes are mounted elsewhere. There are two causes: the mount is wrong,
 * so clients, which look below the issuer's path, do not find this metadata; or a proxy removes the path, so the URLs
 * in the metadata lack it.
 */
export function createMetadataUrl(issuer: string, baseUrl: string | undefined): RouteUrl {
  const routeUrl = createRouteUrl(issuer, baseUrl);
  const path = issuerPath(issuer);
  if (baseUrl !== undefined || path === '') return routeUrl;
  return warningOnce(routeUrl, ({ mountPath }, url) =>
    mountPath === path
      ? null
      : `the metadata of the issuer ${issuer} tell clients that a route is at ${url}: mount latchhook(auth) under ${path}, or set baseUrl to where clients find it`,
  );
}

/** @param mistakeOf - returns the warning, or `null` */
function warningOnce(
  routeUrl: RouteUrl,
  mistakeOf: (request: AuthRequest, url: string) => string | null,
): RouteUrl {
  let hasWarned = false;
  return (request, path) => {
    const url = routeUrl(request, path);
    const mistake = hasWarned ? null : mistakeOf(request, url);
    if (mistake !== null) {
      hasWarned = true;
      warn('LATCHHOOK_BASE_URL', mistake);
    }
    return url;
  };
}
