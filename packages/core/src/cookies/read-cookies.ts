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

const SPACE = 0x20;
const TAB = 0x09;

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
  const header = typeof cookie === 'string' ? cookie : cookie.join(';');
  let access: string | undefined;
  let refresh: string | undefined;
  // Without `split`, which would allocate a list for every request.
  for (let start = 0, end = 0; start < header.length; start = end + 1) {
    end = header.indexOf(';', start);
    if (end === -1) end = header.length;
    const pair = header.slice(start, end);
    const equals = pair.indexOf('=');
    if (equals === -1) continue;
    const name = withoutBlanks(pair.slice(0, equals));
    if (name === ACCESS_COOKIE) {
      if (access !== undefined) return AMBIGUOUS;
      access = withoutBlanks(pair.slice(equals + 1));
    } else if (name === REFRESH_COOKIE) {
      if (refresh !== undefined) return AMBIGUOUS;
      refresh = withoutBlanks(pair.slice(equals + 1));
    }
  }
  return { outcome: 'read', access, refresh };
}

/** The text without spaces and tabs around it. */
function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}
