import { errorOf, throwNetworkError } from './client-error.ts';
import { readJson } from './read-json.ts';
import type { TokenResponse } from './stored-login.ts';

/** The timeout of a request, ms. The server's grace period is long enough for two retries. */
const TIMEOUT_MS = 10_000;

/** The response to a correct password if the user has a second factor. */
export interface ChallengeResponse {
  readonly challenge: string;
  readonly methods: readonly string[];
}

/**
 * Calls a route at or below `/token`.
 *
 * @throws {ClientError} the server's errors, `network_error`
 */
export type CallTokenRoute = (
  path: string,
  body: object,
) => Promise<TokenResponse | ChallengeResponse>;

/** Requests tokens in cookies. Forms cannot send this header, nor can other origins without a preflight. */
export function requestCookies(headers: Headers): void {
  headers.set('latchhook-session', 'cookie');
}

export function createCallTokenRoute(
  fetch: typeof globalThis.fetch,
  baseUrl: string,
  cookieMode: boolean,
): CallTokenRoute {
  return async (path, body) => {
    // New for each request, because the app's `fetch` may add headers.
    const headers = new Headers({ 'content-type': 'application/json' });
    if (cookieMode) requestCookies(headers);
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), TIMEOUT_MS);
    const request = {
      method: 'POST',
      headers,
      // In token mode, a cookie that remains from cookie mode would be a second credential.
      credentials: cookieMode ? 'include' : 'omit',
      // The browser stores the new cookies even if the tab is closed during the request.
      keepalive: cookieMode,
      body: JSON.stringify(body),
      signal: controller.signal,
      // A redirect must not receive a password or token.
      redirect: 'error',
    } as const;
    try {
      const response = await fetch(baseUrl + path, request).catch(throwNetworkError);
      const data = await readJson<TokenResponse | ChallengeResponse>(response);
      if (response.ok || 'challenge' in data) return data;
      throw errorOf(response, data as object);
    } finally {
      clearTimeout(timer);
    }
  };
}
