import { errorOf, throwNetworkError } from './client-error.ts';
import { readJson } from './read-json.ts';
import type { TokenAnswer } from './stored-login.ts';

/** The timeout of a request for tokens, ms: two more fit into the server's grace period. */
const TIMEOUT_MS = 10_000;

/** The response to a password where the user has a second factor. */
export interface ChallengeAnswer {
  readonly challenge: string;
  readonly methods: readonly string[];
}

/**
 * Calls a route at or below `/token`.
 *
 * @throws {ClientError} the server's errors, `network_error`
 */
export type AskTokens = (path: string, body: object) => Promise<TokenAnswer | ChallengeAnswer>;

/** Requests cookies: a header that neither forms nor, without a preflight, other origins can send. */
export const IN_COOKIES = ['latchhook-session', 'cookie'] as const;

/** Lets the browser send and store cookies, also cross-origin. */
export const INCLUDING: { readonly credentials: 'include' } = { credentials: 'include' };

/** Token mode needs no cookies, and one that is left from cookie mode would interfere. */
export const OMITTING: { readonly credentials: 'omit' } = { credentials: 'omit' };

export function createAskTokens(
  fetch: typeof globalThis.fetch,
  baseUrl: string,
  inCookies: boolean = false,
): AskTokens {
  const headers = new Headers([['content-type', 'application/json']]);
  if (inCookies) headers.set(...IN_COOKIES);
  return async (path, body) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), TIMEOUT_MS);
    const request = {
      method: 'POST',
      headers,
      ...(inCookies ? INCLUDING : OMITTING),
      // Gets the cookies even if the tab is closed.
      keepalive: inCookies,
      body: JSON.stringify(body),
      signal: controller.signal,
      // A redirect must not receive a password or token.
      redirect: 'error',
    } as const;
    try {
      const response = await fetch(baseUrl + path, request).catch(throwNetworkError);
      const answer = await readJson<TokenAnswer | ChallengeAnswer>(response);
      if (response.ok || 'challenge' in answer) return answer;
      throw errorOf(response, answer);
    } finally {
      clearTimeout(timer);
    }
  };
}
