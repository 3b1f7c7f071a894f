import { errorOf, throwNetworkError } from './client-error.ts';
import { readJson } from './read-json.ts';
import type { TokenAnswer } from './stored-login.ts';

/** After which a request for tokens is given up, ms: soon enough that two more fit into the server's grace. */
const TIMEOUT_MS = 10_000;

/** The answer to the right password of a user who has a second factor. */
export interface ChallengeAnswer {
  readonly challenge: string;
  readonly methods: readonly string[];
}

/**
 * Asks a route at or below `/token`.
 *
 * @throws {ClientError} whatever the server rejects with, `network_error`
 */
export type AskTokens = (path: string, body: object) => Promise<TokenAnswer | ChallengeAnswer>;

/** Asks for cookies: a header that no form and, without a preflight, no other origin can send. */
export const IN_COOKIES = ['latchhook-session', 'cookie'] as const;

/** Lets the browser send and keep the cookies, of another origin too. */
export const INCLUDING: { readonly credentials: 'include' } = { credentials: 'include' };

/** In token mode no cookie counts, and one that is left of cookie mode would stand in the way. */
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
      // A tab that is closed meanwhile still gets the cookies.
      keepalive: inCookies,
      body: JSON.stringify(body),
      signal: controller.signal,
      // A password or a refresh token goes where it was meant to go, and nowhere else.
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
