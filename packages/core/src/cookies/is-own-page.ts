import type { RequestHead } from '../http/request-head.ts';
import { warn } from '../warning.ts';
import type { CookiePolicy } from './cookie-policy.ts';
import { unknownSessionHeader } from './cookie-rejections.ts';

/** Methods that change nothing (RFC 9110 9.2.1). */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Whether a client asks for cookies. A form or a simple request of another origin cannot send the header (Fetch 3.2).
 */
export function asksForCookies({ headers }: RequestHead): boolean {
  return headers['latchhook-session'] === 'cookie';
}

/**
 * Security: a client that misspells the header, or sends it twice, must not get the tokens in the body, where scripts
 * could read them.
 *
 * @throws {AuthError} `invalid_request`
 */
export function assertSessionHeader(request: RequestHead): void {
  const hasHeader = request.headers['latchhook-session'] !== undefined;
  if (hasHeader && !asksForCookies(request)) throw unknownSessionHeader;
}

/**
 * Whether a request with cookies may be accepted: either it changes nothing, or it comes from a page of the app. A
 * browser adds the cookies to every request, even if the page of somebody else causes it (RFC 10017 6.1.3.3).
 *
 * Security: `SameSite` keeps other sites out, but not siblings, such as a subdomain that somebody has taken over.
 * Therefore a request that changes something needs the header `Latchhook-Session`, for which browsers send a preflight
 * across origins, and an `Origin` of the app. A WebSocket cannot have that header, and begins with a safe method, but
 * opens a connection that may change anything: it needs only the `Origin`.
 */
export function isFromOwnPage(request: RequestHead, { isOwnOrigin }: CookiePolicy): boolean {
  const { method = '', headers } = request;
  const isSafe = SAFE_METHODS.includes(method);
  if (isSafe && headers['upgrade'] === undefined) return true;
  if (!isSafe && !asksForCookies(request)) return false;
  const { origin } = headers;
  // Browsers send `Origin` with every request that changes something: the text `null` if they hide the origin. If
  // something has removed the header, `Sec-Fetch-Site`, which no page can set, tells whether the origin is the app's.
  const site = headers['sec-fetch-site'];
  if (origin === undefined) return site === 'same-origin';
  const isOwn = typeof origin === 'string' && isOwnOrigin(origin);
  // For a page of another site the browser would not keep the cookies: a login would succeed, and be gone at once.
  if (isOwn && site !== 'cross-site') return true;
  warnOnce(isOwn ? OTHER_SITE : OTHER_ORIGIN);
  return false;
}

const OTHER_ORIGIN =
  'a request by cookie was rejected for its Origin, which is neither that of baseUrl (or else of issuer) nor one of cookies.origins. If it came from a page of yours, name its origin there';

const OTHER_SITE =
  'a request by cookie was rejected because its page is of another site, as localhost is to 127.0.0.1, and example.net to example.com. Browsers keep and send no cookies there';

const givenWarnings = new Set<string>();

function warnOnce(warning: string): void {
  if (givenWarnings.has(warning)) return;
  givenWarnings.add(warning);
  warn('LATCHHOOK_ORIGIN', warning);
}
