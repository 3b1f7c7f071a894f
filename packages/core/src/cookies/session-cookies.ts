import { parseAuthorization } from '../bearer/authorization-header.ts';
import type { AuthError } from '../errors.ts';
import type { IssuedTokens } from '../grants/issue-tokens.ts';
import type { AuthRequest, AuthResponse } from '../http/messages.ts';
import type { RequestHead } from '../http/request-head.ts';
import { ACCESS_COOKIE, type CookiePolicy, REFRESH_COOKIE } from './cookie-policy.ts';
import { ambiguousCookies, foreignPage, twoCredentials } from './cookie-rejections.ts';
import { asksForCookies, assertSessionHeader, isFromOwnPage } from './is-own-page.ts';
import { readCookies } from './read-cookies.ts';

/** The access token that a request carries in a cookie. */
export type CookieCredential =
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'found'; readonly accessToken: string }
  | { readonly outcome: 'rejected'; readonly error: AuthError };

/** The cookies of logins: both tokens in cookies that no script can read. */
export interface SessionCookies {
  /** The longest access token that browsers keep. */
  readonly maxTokenChars: number;
  /**
   * For requests to our own routes, before anything of them is read. Those that do not ask for cookies pass, whatever
   * has been left in the browser: nothing reads their cookies but {@link credentialOf}, which checks for itself.
   *
   * @throws {AuthError} `access_denied` where no page of the app has sent it; `invalid_request` where it has a bearer
   * token too, one cookie twice, or the header with another value
   */
  assertOwnPage(request: AuthRequest): void;
  /**
   * The access token of a request.
   *
   * @param hasBearer - whether it has a bearer token too
   */
  credentialOf(request: RequestHead, hasBearer: boolean): CookieCredential;
  /**
   * The token that stands for the login of a request; if it has none, a string that is no token, and rejected as such.
   *
   * @throws {AuthError} `invalid_request` where it has two
   */
  tokenOf(request: RequestHead): string;
  /**
   * All tokens of the login of a request, {@link tokenOf} first.
   *
   * @throws {AuthError} as that does
   */
  tokensOf(request: RequestHead): readonly string[];
  /** Values of `Set-Cookie` that keep the tokens. */
  keep(tokens: IssuedTokens): readonly string[];
  /** Values of `Set-Cookie` that remove them. */
  readonly removed: readonly string[];
}

const ABSENT: CookieCredential = { outcome: 'absent' };

/** Browsers keep 4,096 octets of name and value (RFC 6265bis 5.7), and drop longer cookies without a word. */
const MAX_TOKEN_CHARS = 4000;

const NO_TOKEN = 'none';

/** The cookies, if there are any and the client asks for them in place of tokens. */
export function askedCookies(
  cookies: SessionCookies | undefined,
  request: RequestHead,
): SessionCookies | undefined {
  return cookies !== undefined && asksForCookies(request) ? cookies : undefined;
}

/**
 * The answer to a request that has ended its own login: it takes the cookies along.
 *
 * @param asked - what the request has kept its login in; absent: no cookies
 */
export function loggedOut(response: AuthResponse, asked: SessionCookies | undefined): AuthResponse {
  return asked === undefined ? response : { ...response, cookies: asked.removed };
}

export function createSessionCookies(policy: CookiePolicy): SessionCookies {
  const cookie = (name: string, value: string, seconds: number): string =>
    `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; Secure; SameSite=${policy.sameSite}`;

  return {
    maxTokenChars: MAX_TOKEN_CHARS,
    assertOwnPage(request) {
      assertSessionHeader(request);
      if (!asksForCookies(request)) return;
      if (readCookies(request.headers).outcome === 'ambiguous') throw ambiguousCookies;
      if (parseAuthorization(request.authorization).kind !== 'none') throw twoCredentials;
      if (!isFromOwnPage(request, policy)) throw foreignPage;
    },
    credentialOf(request, hasBearer) {
      const held = readCookies(request.headers);
      if (held.outcome === 'ambiguous') return rejected(ambiguousCookies);
      const { access, refresh } = held;
      // Either cookie conflicts, so that the client sees the error before its access cookie expires.
      if (hasBearer && (access ?? refresh) !== undefined) return rejected(twoCredentials);
      if (access === undefined) return ABSENT;
      return isFromOwnPage(request, policy)
        ? { outcome: 'found', accessToken: access }
        : rejected(foreignPage);
    },
    tokenOf: (request) => tokensOf(request)[0] ?? NO_TOKEN,
    tokensOf,
    keep: ({ accessToken, expiresInSeconds, refreshToken, refreshExpiresInSeconds }) => [
      cookie(ACCESS_COOKIE, accessToken, expiresInSeconds),
      cookie(REFRESH_COOKIE, refreshToken, refreshExpiresInSeconds),
    ],
    removed: [cookie(ACCESS_COOKIE, '', 0), cookie(REFRESH_COOKIE, '', 0)],
  };
}

function tokensOf(request: RequestHead): readonly string[] {
  const held = readCookies(request.headers);
  if (held.outcome === 'ambiguous') throw ambiguousCookies;
  return [held.refresh, held.access].flatMap((token) => token || []);
}

function rejected(error: AuthError): CookieCredential {
  return { outcome: 'rejected', error };
}
