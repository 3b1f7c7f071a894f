import type { AuthRequest } from '../http/messages.ts';
import { ACCESS_COOKIE, REFRESH_COOKIE } from './cookie-policy.ts';

/** The cookies of a login that a request carries. */
export type HeldCookies =
  | {
      readonly outcome: 'read';
      readonly access: string | undefined;
      readonly refresh: string | undefined;
    }
  /** One of them is there more than once: nobody knows which of the two another reader would take. */
  | { readonly outcome: 'ambiguous' };

const NONE: HeldCookies = { outcome: 'read', access: undefined, refresh: undefined };
const AMBIGUOUS: HeldCookies = { outcome: 'ambiguous' };

/**
 * Reads a `Cookie` header (RFC 6265 4.2.1). Values are taken as they are: those of ours need no decoding.
 *
 * Security: browsers trim nothing but spaces and tabs (RFC 6265bis 5.6). A name with other white space before it has no
 * prefix `__Host-` to them, so that a sibling domain may set it.
 */
export function readCookies({ cookie }: AuthRequest['headers']): HeldCookies {
  if (cookie === undefined) return NONE;
  let access: string | undefined;
  let refresh: string | undefined;
  for (const pair of (typeof cookie === 'string' ? cookie : cookie.join(';')).split(';')) {
    const at = pair.indexOf('=');
    if (at === -1) continue;
    const name = trimmed(pair.slice(0, at));
    if (name === ACCESS_COOKIE) {
      if (access !== undefined) return AMBIGUOUS;
      access = trimmed(pair.slice(at + 1));
    } else if (name === REFRESH_COOKIE) {
      if (refresh !== undefined) return AMBIGUOUS;
      refresh = trimmed(pair.slice(at + 1));
    }
  }
  return { outcome: 'read', access, refresh };
}

function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
