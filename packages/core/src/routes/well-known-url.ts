import { warn } from '../ports/warning.ts';
import { createRouteUrl, type RouteUrl } from './route-url.ts';

/** The path of the issuer without a slash at its end, which RFC 8414 3.1 has removed: `''` or `/v1/auth`. */
export function issuerPath(issuer: string): string {
  return new URL(issuer).pathname.replace(/\/$/, '');
}

/**
 * The public URL of a route, for documents that are mounted apart from the routes: their requests do not tell where the
 * routes are.
 *
 * @param baseUrl default: the issuer, whose path is most likely where the routes are. An issuer without a path would
 * put them at the root, where the documents need not be mounted apart, so that warns, once.
 */
export function createWellKnownUrl(issuer: string, baseUrl: string | undefined): RouteUrl {
  if (baseUrl !== undefined) return createRouteUrl(issuer, baseUrl);
  const below = createRouteUrl(issuer, new URL(issuer).origin + issuerPath(issuer));
  let told = issuerPath(issuer) !== '';
  return (request, path) => {
    const url = below(request, path);
    if (!told) {
      told = true;
      warn(
        'LATCHHOOK_BASE_URL',
        `auth.wellKnown tells clients that a route is at ${url}: set baseUrl to where latchhook(auth) is mounted, such as ${new URL(issuer).origin}/auth`,
      );
    }
    return url;
  };
}
