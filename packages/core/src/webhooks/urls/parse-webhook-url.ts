import { isIP } from 'node:net';
import type { DeliveryPolicy } from '../deliveries/delivery-policy.ts';
import { portOf } from './port-of.ts';
import { isPublicAddress } from './public-address.ts';

/** Spaces, control characters and backslashes are not part of any URL (RFC 3986), though browsers accept them. */
const FORBIDDEN_CHARS = /[\s\p{Cc}\\]/u;

/** Names of this machine or its network by definition (RFC 6761, RFC 6762, ICANN 2024). */
const PRIVATE_NAMES = ['localhost', 'local', 'internal'];

/** Why a URL is rejected. */
export type WebhookUrlRejection =
  | 'no_url'
  | 'other_scheme'
  | 'plain_http'
  | 'user_info'
  | 'fragment'
  | 'private_address'
  | 'port';

/** The result of {@link parseWebhookUrl}. */
export type ParsedWebhookUrl =
  /** The `href` of `url` is normalised, to be stored and used for sending. */
  | { readonly outcome: 'accepted'; readonly url: URL }
  | { readonly outcome: 'rejected'; readonly reason: WebhookUrlRejection };

/** The part of the policy that applies to URLs. */
export type WebhookUrlRules = Pick<
  DeliveryPolicy,
  'allowHttp' | 'allowPrivateAddresses' | 'allowedPorts'
>;

/**
 * Parses and checks a URL for deliveries, when a client registers it and again before the first attempt of a process,
 * because the rules may have changed: http or https, without user info and fragment, on a port that is allowed. Host
 * names are not resolved: their addresses are checked whenever a delivery connects.
 *
 * Security: the checked URL is the one that is stored. The WHATWG parser reads the text once, and only its normalised
 * form is used (`0x7f.1` becomes `127.0.0.1`), so that no other parser can read the URL differently later.
 */
export function parseWebhookUrl(text: string, rules: WebhookUrlRules): ParsedWebhookUrl {
  const url = parse(text);
  if (url === null) return rejected('no_url');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return rejected('other_scheme');
  }
  if (url.protocol === 'http:' && !rules.allowHttp) return rejected('plain_http');
  if (hasUserInfo(url, text)) return rejected('user_info');
  // An empty fragment is rejected too, although `hash` does not show it.
  if (text.includes('#')) return rejected('fragment');
  const host = withoutRootDot(url.hostname);
  // Port 0 is reserved (RFC 6335 6).
  if (!isHost(host) || url.port === '0') return rejected('no_url');
  if (!rules.allowPrivateAddresses && isPrivateHost(host)) {
    return rejected('private_address');
  }
  if (!isAllowedPort(url, rules)) return rejected('port');
  // The trailing dot is removed because neither certificates nor SNI have it (RFC 6066 3).
  url.hostname = host;
  return { outcome: 'accepted', url };
}

function rejected(reason: WebhookUrlRejection): ParsedWebhookUrl {
  return { outcome: 'rejected', reason };
}

function parse(text: string): URL | null {
  if (FORBIDDEN_CHARS.test(text) || !text.isWellFormed() || !URL.canParse(text)) return null;
  const url = new URL(text);
  // The parser also accepts `https:example.com` and `https:///example.com`, which other software rejects.
  return /^[^:]+:\/\/[^/]/.test(text) ? url : null;
}

/** Checks the text too, because the parser drops the `@` of `https://@example.com`. */
function hasUserInfo({ username, password }: URL, text: string): boolean {
  return username !== '' || password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text);
}

function withoutRootDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

function isHost(host: string): boolean {
  return host.split('.').every((label) => label !== '');
}

function isAllowedPort(url: URL, { allowedPorts }: WebhookUrlRules): boolean {
  return allowedPorts === 'any' || allowedPorts.includes(portOf(url));
}

function isPrivateHost(host: string): boolean {
  const literal = host.startsWith('[') ? host.slice(1, -1) : host;
  if (isIP(literal) !== 0) return !isPublicAddress(literal);
  return PRIVATE_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}
