/** The cookie of the access token. By its prefix browsers keep it for one host, over https or on loopback. */
export const ACCESS_COOKIE = '__Host-latchhook-access';

/** The cookie of the refresh token. */
export const REFRESH_COOKIE = '__Host-latchhook-refresh';

/** {@link CookieOptions}, resolved. */
export interface CookiePolicy {
  readonly sameSite: 'Strict' | 'Lax';
  /** Whether a page of this origin is one of the app's. */
  readonly isOwnOrigin: (origin: string) => boolean;
}
