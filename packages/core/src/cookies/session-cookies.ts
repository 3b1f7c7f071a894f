import { parseAuthorization } from '../bearer/authorization-header.ts';
import type { AuthError } from '../errors.ts';
import type { IssuedTokens } from '../grants/issue-tokens.ts';
import type { AuthRequest, AuthResponse } from '../http/messages.ts';
import type { RequestHead } from '../http/request-head.ts';
import { ACCESS_COOKIE, type CookiePolicy, REFRESH_COOKIE } from './cookie-policy.ts';
import { ambiguousCookies, foreignPage, twoCredentials } from './cookie-rejections.ts';
import { asksForCookies, assertSessionHeader, isFromOwnPage } from './is-own-page.ts';
import { readCookies, type TokenCookies } from './read-cookies.ts';

/** The access token that a request carries in a cookie. */
export type CookieCredential =
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'found'; readonly accessToken: string }
  | { readonly outcome: 'rejected'; readonly error: AuthError };

/** The cookies of logins: both tokens in cookies that no script can read. */
export interface SessionCookies {
  /** The length of the longest access token that fits into a cookie. */
  readonly maxTokenChars: number;
  /** Returns these cookies if the client asks for cookies instead of tokens in the body. */
  requestedBy(request: RequestHead): SessionCookies | undefined;
  /**
   * For requests to Latchhook's own routes, before their query and body are read. A request that does not ask for
   * cookies passes, even if it has cookies: then only {@link credentialOf} reads them, and checks the page itself.
   *
   * @throws {AuthError} `access_denied` unless the request comes from a page of the app; `invalid_request` if it has a
   * bearer token too, a cookie twice, or another value of `Latchhook-Session`
   */
  assertOwnPage(request: AuthRequest): void;
  /**
   * The access token in the cookies of a request.
   *
   * @param hasBearer - whether the request has a bearer token too
   */
  credentialOf(request: RequestHead, hasBearer: boolean): CookieCredential;
  /**
   * The refresh token of a request, or else its access token; if it has neither, a string that is not a token.
   *
   * @throws {AuthError} `invalid_request` if a cookie is given twice
   */
  tokenOf(request: RequestHead): string;
  /**
   * Both tokens of a request, the refresh token first.
   *
   * @throws {AuthError} `invalid_request` if a cookie is given twice
   */
  tokensOf(request: RequestHead): readonly string[];
  /** The values of `Set-Cookie` that store the tokens in the browser. */
  setCookies(tokens: IssuedTokens): readonly string[];
  /** The values of `Set-Cookie` that remove the tokens from the browser. */
  readonly clearCookies: readonly string[];
}

const ABSENT: CookieCredential = { outcome: 'absent' };

/** Browsers accept 4,096 octets of name and value (RFC 6265bis 5.7), and drop longer cookies silently. */
const MAX_TOKEN_CHARS = 4000;

/** Stands for the token of a client that has lost its cookies: it is rejected like any other invalid token. */
const NO_TOKEN = 'none';

/**
 * Removes the tokens from the browser, for a request that has ended its own session.
 *
 * Security: each response has a list of its own. Node keeps the list as the value of the header, and middleware that
 * sets a cookie later, such as cookie-session, adds to it: a shared list would send that cookie to the next client.
 *
 * @param cookies - `undefined`: the client does not ask for cookies, and the response stays unchanged
 */
export function clearRequestedCookies(
  response: AuthResponse,
  cookies: SessionCookies | undefined,
): AuthResponse {
  return cookies === undefined ? response : { ...response, cookies: [...cookies.clearCookies] };
}

export function createSessionCookies(policy: CookiePolicy): SessionCookies {
  const attributes = `; Path=/; HttpOnly; Secure; SameSite=${policy.sameSite}`;
  const cookie = (name: string, value: string, seconds: number): string =>
    `${name}=${value}; Max-Age=${seconds}${attributes}`;

  const sessionCookies: SessionCookies = {
    maxTokenChars: MAX_TOKEN_CHARS,
    requestedBy: (request) => (asksForCookies(request) ? sessionCookies : undefined),
    assertOwnPage(request) {
      assertSessionHeader(request);
      if (!asksForCookies(request)) return;
      unambiguousCookies(request);
      if (parseAuthorization(request.authorization).kind !== 'none') throw twoCredentials;
      if (!isFromOwnPage(request, policy)) throw foreignPage;
    },
    credentialOf(request, hasBearer) {
      const cookies = readCookies(request.headers);
      if (cookies.outcome === 'ambiguous') return rejection(ambiguousCookies);
      const { access, refresh } = cookies;
      // The refresh cookie conflicts too: otherwise the error would vanish whenever the access cookie has expired.
      if (hasBearer && (access ?? refresh) !== undefined) return rejection(twoCredentials);
      if (access === undefined) return ABSENT;
      return isFromOwnPage(request, policy)
        ? { outcome: 'found', accessToken: access }
        : rejection(foreignPage);
    },
    tokenOf(request) {
      const { refresh, access } = unambiguousCookies(request);
      return refresh || access || NO_TOKEN;
    },
    tokensOf(request) {
      const { refresh, access } = unambiguousCookies(request);
      return [refresh, access].filter((token): token is string => Boolean(token));
    },
    setCookies: ({ accessToken, expiresInSeconds, refreshToken, refreshExpiresInSeconds }) => [
      cookie(ACCESS_COOKIE, accessToken, expiresInSeconds),
      cookie(REFRESH_COOKIE, refreshToken, refreshExpiresInSeconds),
    ],
    clearCookies: [cookie(ACCESS_COOKIE, '', 0), cookie(REFRESH_COOKIE, '', 0)],
  };
  return sessionCookies;
}

function unambiguousCookies({ headers }: RequestHead): TokenCookies & { outcome: 'read' } {
  const cookies = readCookies(headers);
  if (cookies.outcome === 'ambiguous') throw ambiguousCookies;
  return cookies;
}

function rejection(error: AuthError): CookieCredential {
  return { outcome: 'rejected', error };
}
