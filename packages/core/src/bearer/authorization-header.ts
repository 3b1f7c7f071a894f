import { ACCESS_TOKEN_MAX_LENGTH } from '../tokens/access-token.ts';

export type AuthorizationHeader =
  /** No header, or another scheme: RFC 6750 3.1 then requires a challenge without an error code. */
  { readonly kind: 'none' } | TokenReading;

/** A text that should be one token. */
export type TokenReading =
  | { readonly kind: 'malformed' }
  | { readonly kind: 'bearer'; readonly token: string };

const NONE: AuthorizationHeader = { kind: 'none' };
const MALFORMED: TokenReading = { kind: 'malformed' };

const SCHEME = 'bearer';

/**
 * Reads `Authorization: Bearer <token>` (RFC 6750 2.1): the scheme in any case, spaces, one token. `Bearer` alone is
 * malformed; `BearerX` is another scheme.
 *
 * Does not check the characters of the token: a token in the cache was checked before, and the verifier checks all
 * others. (A regular expression here would cost half as much as the digest by which the cache finds a token.)
 */
export function parseAuthorization(header: string | undefined): AuthorizationHeader {
  if (header === undefined) return NONE;
  if (header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return NONE;
  let start = SCHEME.length;
  while (header.charAt(start) === ' ') start += 1;
  if (start === header.length) return MALFORMED;
  if (start === SCHEME.length) return NONE;
  return readToken(header.slice(start));
}

/** Checks the length and the form of a token without a scheme, such as a token in a cookie. */
export function readToken(token: string): TokenReading {
  if (token.length > ACCESS_TOKEN_MAX_LENGTH) return MALFORMED;
  // A comma is never part of a token: it joins the values of repeated headers (RFC 9110 5.3).
  return token.includes(' ') || token.includes(',') ? MALFORMED : { kind: 'bearer', token };
}
