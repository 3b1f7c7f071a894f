import { isIP } from 'node:net';
import type { DeliveryPolicy } from './delivery-policy.ts';
import { isPublicAddress } from './public-address.ts';

/** Longest URL that is taken, in characters as it was typed, and as it is stored. */
export const MAX_WEBHOOK_URL_CHARS = 2083;
/** What a URL of that length may grow to: the parser adds a `/`, and writes `'` in a query as `%27`. */
const MAX_STORED_CHARS = 3 * MAX_WEBHOOK_URL_CHARS + 1;
const WRONG_LENGTH = 'must be a URL of 1 to 2083 characters';

/** Spaces, control characters and backslashes are not part of any URL (RFC 3986), though browsers accept them. */
const UNFIT = /[\s\p{Cc}\\]/u;

/** Names that lead to this machine or its network, wherever they are resolved (RFC 6761, RFC 6762, ICANN 2024). */
const PRIVATE_NAMES = ['localhost', 'local', 'internal'];

/** The result of checking a URL for deliveries. */
export type WebhookUrlOutcome =
  /** `url` is what to store and to send to. */
  | { readonly outcome: 'accepted'; readonly url: string }
  /** `message` is constant text for the field `url`. */
  | { readonly outcome: 'refused'; readonly message: string };

/** The part of the policy that a URL is checked against. */
export type WebhookUrlRules = Pick<DeliveryPolicy, 'allowHttp' | 'allowPrivateAddresses'>;

/**
 * Checks a URL that a client wants deliveries sent to: http or https, without user info and fragment, on any port.
 * Names are not resolved: what they resolve to is checked whenever a delivery connects.
 *
 * Security: what is checked is what is stored. The WHATWG parser reads the text once, and only its own spelling is
 * passed on (`0x7f.1` has become `127.0.0.1`), so no other parser can read it differently later.
 */
export function checkWebhookUrl(text: string, rules: WebhookUrlRules): WebhookUrlOutcome {
  if (text === '' || text.length > MAX_WEBHOOK_URL_CHARS) return refused(WRONG_LENGTH);
  const url = parse(text);
  if (url === null) return refused('must be a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refused('must be an http: or https: URL');
  }
  if (url.protocol === 'http:' && !rules.allowHttp) return refused('must be an https: URL');
  if (hasUserInfo(url, text)) return refused('must not contain user info');
  // An empty fragment counts too, and `hash` does not show it.
  if (text.includes('#')) return refused('must not contain a fragment');
  const host = withoutRootDot(url.hostname);
  // Nobody listens on port 0 (RFC 6335 6).
  if (!isHost(host) || url.port === '0') return refused('must be a URL');
  if (!rules.allowPrivateAddresses && leadsToPrivate(host)) {
    return refused('must not lead to a private address');
  }
  // Neither a certificate nor SNI has the dot of the root (RFC 6066 3).
  url.hostname = host;
  const { href } = url;
  // Text that is not ASCII may have grown up to twelvefold, and lists have to hold it.
  return href.length > MAX_STORED_CHARS ? refused(WRONG_LENGTH) : accepted(href);
}

function accepted(url: string): WebhookUrlOutcome {
  return { outcome: 'accepted', url };
}

function refused(message: string): WebhookUrlOutcome {
  return { outcome: 'refused', message };
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

function leadsToPrivate(host: string): boolean {
  const literal = host.startsWith('[') ? host.slice(1, -1) : host;
  if (isIP(literal) !== 0) return !isPublicAddress(literal);
  return PRIVATE_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}
