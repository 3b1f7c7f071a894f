import type { CookieOptions } from '../cookies/cookie-options.ts';
import type { CookiePolicy } from '../cookies/cookie-policy.ts';
import { ConfigError } from '../errors.ts';
import { warn } from '../warning.ts';
import type { Environment } from './environment.ts';
import { isLoopback } from './public-url.ts';

export interface ResolveCookiesDeps {
  /** The URL at which clients find the routes. */
  readonly url: string;
  readonly environment: Environment;
}

/**
 * The policy for the cookies of logins; `undefined` if the host does not turn them on.
 *
 * In development on loopback, pages of all ports of this machine are accepted: a development server in front of the app
 * has another port, and `localhost` is another origin than `127.0.0.1`.
 *
 * @throws {ConfigError} `cookies_invalid`
 */
export function resolveCookies(
  option: boolean | CookieOptions | undefined,
  { url, environment }: ResolveCookiesDeps,
): CookiePolicy | undefined {
  if (option === undefined || option === false) return undefined;
  const { sameSite = 'strict', origins = [] } = option === true ? {} : option;
  assertSameSite(sameSite);
  assertOrigins(origins, environment);
  const appUrl = new URL(url);
  const isLocal = environment === 'development' && appUrl.protocol === 'http:';
  if (isLocal) assertLoopback(appUrl);
  const allowed = new Set([appUrl.origin, ...origins]);
  return {
    sameSite: sameSite === 'strict' ? 'Strict' : 'Lax',
    isOwnOrigin: (origin) => allowed.has(origin) || (isLocal && isLocalOrigin(origin)),
  };
}

function isLocalOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopback(new URL(origin));
}

function assertLoopback(appUrl: URL): void {
  if (!isLoopback(appUrl)) {
    throw new ConfigError(
      'cookies_invalid',
      'cookies need https:, or http: on localhost: browsers keep them nowhere else',
    );
  }
  warn(
    'LATCHHOOK_COOKIES',
    'over http, Chromium and Firefox keep the cookies of logins on loopback, Safari does not; and pages of every port of this machine count as yours. In production it takes https',
  );
}

function assertSameSite(sameSite: unknown): void {
  if (sameSite === 'strict' || sameSite === 'lax') return;
  throw new ConfigError('cookies_invalid', "cookies.sameSite must be 'strict' or 'lax'");
}

/** Each origin is compared with the header `Origin`, so it must be written exactly as browsers write it. */
function assertOrigins(origins: unknown, environment: Environment): void {
  const pattern = environment === 'production' ? /^https:[^*]+$/ : /^https?:[^*]+$/;
  const isOrigin = (origin: unknown): boolean =>
    typeof origin === 'string' &&
    pattern.test(origin) &&
    URL.canParse(origin) &&
    new URL(origin).origin === origin;
  if (Array.isArray(origins) && [...origins].every(isOrigin)) return;
  throw new ConfigError(
    'cookies_invalid',
    "cookies.origins must be a list of origins as browsers write them, such as ['https://app.example.com']",
  );
}
