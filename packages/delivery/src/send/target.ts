import { isIP } from 'node:net';
import { isPublicAddress } from '@latchhook/core/delivery';
import type { SendError } from './send-result.ts';

/** Where messages may be sent. */
export interface TargetRules {
  /** Whether messages may use plain http. */
  readonly allowHttp: boolean;
  /** Whether messages may go to addresses that are not global unicast: loopback, private networks ... */
  readonly allowPrivateAddresses: boolean;
}

/** Where a message goes. */
export interface Target {
  readonly url: URL;
  readonly origin: string;
  /** With the query. */
  readonly path: string;
}

/** How many URLs are remembered; when there are more, all are forgotten and parsed once more. */
const URLS_KEPT = 1_000;

/**
 * Makes a parser for the URLs of webhooks. It judges each anew at its first attempt in this process, as it may have been
 * stored under other rules.
 */
export function targetReader(rules: TargetRules): (url: string) => Target | SendError {
  // Parsing a URL costs more than a look-up.
  const known = new Map<string, Target | SendError>();

  return (url) => {
    const before = known.get(url);
    if (before !== undefined) return before;
    const target = readTarget(url, rules);
    if (known.size === URLS_KEPT) known.clear();
    known.set(url, target);
    return target;
  };
}

export function toTarget(url: URL): Target {
  return { url, origin: url.origin, path: url.pathname + url.search };
}

function readTarget(text: string, rules: TargetRules): Target | SendError {
  if (!URL.canParse(text)) return 'url_refused';
  const url = new URL(text);
  const { protocol, username, password } = url;
  if (protocol !== 'https:' && !(protocol === 'http:' && rules.allowHttp)) return 'url_refused';
  if (username !== '' || password !== '') return 'url_refused';
  // Not only where we connect: a proxy of the host would be handed the address unchecked.
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (!rules.allowPrivateAddresses && isIP(literal) !== 0 && !isPublicAddress(literal)) {
    return 'address_refused';
  }
  return toTarget(url);
}
