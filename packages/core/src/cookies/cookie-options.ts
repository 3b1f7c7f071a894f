/** How browsers keep the tokens of a login. */
export interface CookieOptions {
  /**
   * `strict`: browsers send the cookies with no request that another site causes. `lax`: browsers send them also if the
   * user follows a link from another site, so that a page that you render on the server is logged in. Default:
   * `strict`.
   */
  readonly sameSite?: 'strict' | 'lax';
  /**
   * Origins of pages that may log in, refresh and change something by cookies: `['https://app.example.com']`. The
   * origin of `baseUrl` (or else of `issuer`) always may. All must be of the same site, and your CORS middleware must
   * allow them, with credentials. Default: none.
   */
  readonly origins?: readonly string[];
}
