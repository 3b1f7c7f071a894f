/** The cookie of the access token. Because of its prefix, browsers limit it to one host, over https or on loopback. */
export const ACCESS_COOKIE = '__Host-latchhook-access';

/** The cookie of the refresh token. */
export const REFRESH_COOKIE = '__Host-latchhook-refresh';

/** The result of resolving {@link CookieOptions}. */
export interface CookiePolicy {
  readonly sameSite: 'Strict' | 'Lax';
  /** Whether pages of this origin belong to the app. */
  readonly isOwnOrigin: (origin: string) => boolean;
}
