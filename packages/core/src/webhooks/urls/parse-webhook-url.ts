import { isIP } from 'node:net';
import type { DeliveryPolicy } from '../deliveries/delivery-policy.ts';
import { portOf } from './port-of.ts';
import { isPublicAddress } from './public-address.ts';

/** Spaces, control characters and backslashes are not part of any URL (RFC 3986), though browsers accept them. */
const UNFIT = /[\s\p{Cc}\\]/u;

/** Names that lead to this machine or its network, wherever they are resolved (RFC 6761, RFC 6762, ICANN 2024). */
const PRIVATE_NAMES = ['localhost', 'local', 'internal'];

/** Why nothing may be sent to a URL. */
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
  /** Its `href` is what to store and to send to. */
  | { readonly outcome: 'accepted'; readonly url: URL }
  | { readonly outcome: 'rejected'; readonly reason: WebhookUrlRejection };

/** The part of the policy that a URL is checked against. */
export type WebhookUrlRules = Pick<
  DeliveryPolicy,
  'allowHttp' | 'allowPrivateAddresses' | 'allowedPorts'
>;

/**
 * Parses and checks a URL for deliveries, when a client registers it and again before the first attempt of a process,
 * since the rules may have changed: http or https, without user info and fragment, on a port that is allowed. Names are
 * not resolved: what they resolve to is checked whenever a delivery connects.
 *
 * Security: what is checked is what is stored. The WHATWG parser reads the text once, and only its own spelling is
 * passed on (`0x7f.1` has become `127.0.0.1`), so no other parser can read it differently later.
 */
export function parseWebhookUrl(text: string, rules: WebhookUrlRules): ParsedWebhookUrl {
  const url = parse(text);
  if (url === null) return rejected('no_url');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return rejected('other_scheme');
  }
  if (url.protocol === 'http:' && !rules.allowHttp) return rejected('plain_http');
  if (hasUserInfo(url, text)) return rejected('user_info');
  // An empty fragment counts too, and `hash` does not show it.
  if (text.includes('#')) return rejected('fragment');
  const host = withoutRootDot(url.hostname);
  // Nobody listens on port 0 (RFC 6335 6).
  if (!isHost(host) || url.port === '0') return rejected('no_url');
  if (!rules.allowPrivateAddresses && leadsToPrivate(host)) {
    return rejected('private_address');
  }
  if (!isAllowedPort(url, rules)) return rejected('port');
  // Neither a certificate nor SNI has the dot of the root (RFC 6066 3).
  url.hostname = host;
  return { outcome: 'accepted', url };
}

function rejected(reason: WebhookUrlRejection): ParsedWebhookUrl {
  return { outcome: 'rejected', reason };
}

function parse(text: string): URL | null {
  if (UNFIT.test(text) || !text.isWellFormed() || !URL.canParse(text)) return null;
  const url = new URL(text);
  // The parser accepts `https:example.com` and `https:///example.com`; nothing else does.
  return /^[^:]+:\/\/[^/]/.test(text) ? url : null;
}

/** The parser leaves no trace of the `@` in `https://@example.com`. */
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

function leadsToPrivate(host: string): boolean {
  const literal = host.startsWith('[') ? host.slice(1, -1) : host;
  if (isIP(literal) !== 0) return !isPublicAddress(literal);
  return PRIVATE_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}
