/** How browsers keep the tokens of a login. */
export interface CookieOptions {
  /**
   * `strict`: no request that another site causes carries them. `lax`: a link from another site does, so that the first
   * request of a page that you render on the server is logged in. Default: `strict`.
   */
  readonly sameSite?: 'strict' | 'lax';
  /**
   * Origins of pages that may log in, refresh and change something by cookies, besides that of `baseUrl` (or else of
   * `issuer`): `['https://app.example.com']`. They must be of the same site, and your CORS middleware must allow them,
   * with credentials. Default: none.
   */
  readonly origins?: readonly string[];
}
