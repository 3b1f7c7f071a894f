import type { AuthResponse } from './messages.ts';

const TYPE_HEADERS = Object.freeze({
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
});

/** No response about tokens may be cached (RFC 6749 5.1); `pragma` says so to HTTP/1.0. */
const NO_STORE_HEADERS = Object.freeze({ 'cache-control': 'no-store', pragma: 'no-cache' });

const PRIVATE_HEADERS = Object.freeze({ ...TYPE_HEADERS, ...NO_STORE_HEADERS });

export function jsonResponse(
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): AuthResponse {
  return {
    status,
    headers: headers === undefined ? PRIVATE_HEADERS : { ...PRIVATE_HEADERS, ...headers },
    body: JSON.stringify(body),
  };
}

export function emptyResponse(): AuthResponse {
  return { status: 204, headers: NO_STORE_HEADERS, body: '' };
}

/** For public content, which anybody may cache for `maxAgeSeconds`. */
export function publicJsonResponse(body: unknown, maxAgeSeconds: number): AuthResponse {
  return {
    status: 200,
    headers: { ...TYPE_HEADERS, 'cache-control': publicCacheControl(maxAgeSeconds) },
    body: JSON.stringify(body),
  };
}

export function publicCacheControl(maxAgeSeconds: number): string {
  return `public, max-age=${maxAgeSeconds}`;
}
