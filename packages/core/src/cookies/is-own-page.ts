import type { RequestHead } from '../http/request-head.ts';
import { warn } from '../warning.ts';
import type { CookiePolicy } from './cookie-policy.ts';
import { unknownSessionHeader } from './cookie-rejections.ts';

/** Methods that change nothing (RFC 9110 9.2.1). */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Whether a client asks for cookies, which no form and no simple request of another origin can (Fetch 3.2). */
export function asksForCookies({ headers }: RequestHead): boolean {
  return headers['latchhook-session'] === 'cookie';
}

/**
 * Security: who misspells the header, or sends it twice, wants no tokens in the body, where scripts could read them.
 *
 * @throws {AuthError} `invalid_request`
 */
export function assertSessionHeader(request: RequestHead): void {
  const isGiven = request.headers['latchhook-session'] !== undefined;
  if (isGiven && !asksForCookies(request)) throw unknownSessionHeader;
}

/**
 * Whether a request with cookies comes from a page of the app, as far as it matters: a browser sends them along with
 * every request, whoever caused it (RFC 10017 6.1.3.3).
 *
 * Security: `SameSite` keeps other sites out, but not siblings, such as another subdomain that somebody has taken over.
 * So what changes something needs a header that asks the server before it crosses origins, and the origin itself. A
 * WebSocket can have no such header, and begins with a safe method, but ends in a connection that may change anything.
 */
export function isFromOwnPage(request: RequestHead, { isOwnOrigin }: CookiePolicy): boolean {
  const { method = '', headers } = request;
  const isSafe = SAFE_METHODS.includes(method);
  if (isSafe && headers['upgrade'] === undefined) return true;
  if (!isSafe && !asksForCookies(request)) return false;
  const { origin } = headers;
  // Browsers send an origin with whatever changes something, and `null` where they hide it.
  if (origin === undefined) return headers['sec-fetch-site'] === 'same-origin';
  if (typeof origin === 'string' && isOwnOrigin(origin)) return true;
  warnOfOrigin();
  return false;
}

let warned = false;

function warnOfOrigin(): void {
  if (warned) return;
  warned = true;
  warn(
    'LATCHHOOK_ORIGIN',
    'a request by cookie was rejected for its Origin, which is neither that of baseUrl (or else of issuer) nor one of cookies.origins. If it came from a page of yours, name its origin there',
  );
}
