import { isIP } from 'node:net';
import type { DeliveryPolicy } from './delivery-policy.ts';
import { isPublicAddress } from './public-address.ts';

/** Longest URL that is taken, in characters as it was typed, and as it is stored. */
export const MAX_WEBHOOK_URL_CHARS = 2083;
/** A URI of that length may grow so much: the parser adds a `/`, and writes `'` in a query as `%27`. */
const MAX_STORED_CHARS = 3 * MAX_WEBHOOK_URL_CHARS + 1;
const WRONG_LENGTH = 'must be a URL of 1 to 2083 characters';

/** Spaces, control characters and backslashes are no part of any URL (RFC 3986), though browsers forgive them. */
const UNFIT = /[\s\p{Cc}\\]/u;

/** Names that lead to this machine or its network, wherever they are resolved (RFC 6761, RFC 6762, ICANN 2024). */
const PRIVATE_NAMES = ['localhost', 'local', 'internal'];

/** What a URL for deliveries comes to. */
export type WebhookUrlOutcome =
  /** `url` is what to store and to send to. */
  | { readonly outcome: 'accepted'; readonly url: string }
  /** `message` is constant text for the field `url`. */
  | { readonly outcome: 'refused'; readonly message: string };

/** What of the policy a URL is judged by. */
export type WebhookUrlRules = Pick<DeliveryPolicy, 'allowHttp' | 'allowPrivateAddresses'>;

/**
 * Judges a URL that a client wants deliveries to be sent to: http or https, without user info and fragment,
 * to any port that there is. Names are not resolved: what they lead to is judged whenever a delivery connects.
 *
 * Security: what is judged is what is stored. The WHATWG parser reads the text once, and its own spelling of
 * it goes on from here (`0x7f.1` is `127.0.0.1` by then), so no other parser can read it differently later.
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
  // An empty fragment is one too, and `hash` does not show it.
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
  // What is not ASCII has grown by up to twelve times, and lists have to hold it.
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
  // `https:example.com` and `https:///example.com` are forgiven by the parser alone.
  return /^[^:]+:\/\/[^/]/.test(text) ? url : null;
}

/** Of `https://@example.com` the parser keeps nothing to see. */
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
