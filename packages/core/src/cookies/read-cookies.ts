import type { AuthRequest } from '../http/messages.ts';
import { ACCESS_COOKIE, REFRESH_COOKIE } from './cookie-policy.ts';

/** The tokens in the cookies of a request. */
export type TokenCookies =
  | {
      readonly outcome: 'read';
      readonly access: string | undefined;
      readonly refresh: string | undefined;
    }
  /** A cookie is given twice: another reader of the header may use the other value. */
  | { readonly outcome: 'ambiguous' };

const NONE: TokenCookies = { outcome: 'read', access: undefined, refresh: undefined };
const AMBIGUOUS: TokenCookies = { outcome: 'ambiguous' };

/**
 * Reads a `Cookie` header (RFC 6265 4.2.1). Does not decode the values: a token needs no encoding.
 *
 * Security: trims only spaces and tabs, like browsers (RFC 6265bis 5.6). To a browser, a name with other white space
 * before it does not begin with `__Host-`, so a sibling domain may set such a cookie.
 */
export function readCookies({ cookie }: AuthRequest['headers']): TokenCookies {
  if (cookie === undefined) return NONE;
  let access: string | undefined;
  let refresh: string | undefined;
  for (const pair of (typeof cookie === 'string' ? cookie : cookie.join(';')).split(';')) {
    const at = pair.indexOf('=');
    if (at === -1) continue;
    const name = trim(pair.slice(0, at));
    if (name === ACCESS_COOKIE) {
      if (access !== undefined) return AMBIGUOUS;
      access = trim(pair.slice(at + 1));
    } else if (name === REFRESH_COOKIE) {
      if (refresh !== undefined) return AMBIGUOUS;
      refresh = trim(pair.slice(at + 1));
    }
  }
  return { outcome: 'read', access, refresh };
}

function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
