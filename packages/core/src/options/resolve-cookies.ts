import type { CookieOptions } from '../cookies/cookie-options.ts';
import type { CookiePolicy } from '../cookies/cookie-policy.ts';
import { ConfigError } from '../errors.ts';
import { warn } from '../warning.ts';
import type { Environment } from './environment.ts';
import { isLoopback } from './public-url.ts';

export interface ResolveCookiesDeps {
  /** Where clients find the routes. */
  readonly url: string;
  readonly environment: Environment;
}

/**
 * The cookies of logins; `undefined` where the host does not turn them on.
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
  const own = new URL(url);
  const isLocal = environment === 'development' && own.protocol === 'http:';
  if (isLocal) assertLoopback(own);
  const allowed = new Set([own.origin, ...origins]);
  return {
    sameSite: sameSite === 'strict' ? 'Strict' : 'Lax',
    isOwnOrigin: (origin) => allowed.has(origin) || (isLocal && isLocalOrigin(origin)),
  };
}

function isLocalOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopback(new URL(origin));
}

function assertLoopback(own: URL): void {
  if (!isLoopback(own)) {
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

function assertSameSite(given: unknown): void {
  if (given === 'strict' || given === 'lax') return;
  throw new ConfigError('cookies_invalid', "cookies.sameSite must be 'strict' or 'lax'");
}

/** Each is compared with the header that browsers send, so it must be equal to the byte. */
function assertOrigins(given: unknown, environment: Environment): void {
  const pattern = environment === 'production' ? /^https:[^*]+$/ : /^https?:[^*]+$/;
  const isOrigin = (one: unknown): boolean =>
    typeof one === 'string' &&
    pattern.test(one) &&
    URL.canParse(one) &&
    new URL(one).origin === one;
  if (Array.isArray(given) && [...given].every(isOrigin)) return;
  throw new ConfigError(
    'cookies_invalid',
    "cookies.origins must be a list of origins as browsers write them, such as ['https://app.example.com']",
  );
}
