import {
  parseWebhookUrl,
  type WebhookUrlRejection,
  type WebhookUrlRules,
} from './parse-webhook-url.ts';

/** The longest URL, in characters, before it is normalised. */
export const MAX_WEBHOOK_URL_CHARS = 2083;
/**
 * The longest normalised URL, in characters. Every ASCII text of {@link MAX_WEBHOOK_URL_CHARS} fits, although the
 * parser adds a `/`, and percent-encodes characters, such as `'` in a query as `%27`.
 */
const MAX_STORED_CHARS = 3 * MAX_WEBHOOK_URL_CHARS + 1;
const WRONG_LENGTH = `must be a URL of 1 to ${MAX_WEBHOOK_URL_CHARS} characters`;
const GROWN_TOO_LONG = 'is too long once it is percent-encoded';

const MESSAGES: Readonly<Record<WebhookUrlRejection, string>> = {
  no_url: 'must be a URL',
  other_scheme: 'must be an http: or https: URL',
  plain_http: 'must be an https: URL',
  user_info: 'must not contain user info',
  fragment: 'must not contain a fragment',
  private_address: 'must not lead to a private address',
  port: 'must have a port that is allowed',
};

/** The result of checking a URL that a client wants to register. */
export type WebhookUrlOutcome =
  /** `url` is normalised, to be stored and used for sending. */
  | { readonly outcome: 'accepted'; readonly url: string }
  /** `message` is constant text for the field `url`. */
  | { readonly outcome: 'rejected'; readonly message: string };

/** Checks a URL that a client wants to register: its length, and the rules of {@link parseWebhookUrl}. */
export function checkWebhookUrl(text: string, rules: WebhookUrlRules): WebhookUrlOutcome {
  if (text === '' || text.length > MAX_WEBHOOK_URL_CHARS) return rejected(WRONG_LENGTH);
  const parsed = parseWebhookUrl(text, rules);
  if (parsed.outcome === 'rejected') return rejected(MESSAGES[parsed.reason]);
  const { href } = parsed.url;
  // Percent-encoding can make non-ASCII text twelve times as long, and lists contain stored URLs.
  return href.length > MAX_STORED_CHARS
    ? rejected(GROWN_TOO_LONG)
    : { outcome: 'accepted', url: href };
}

function rejected(message: string): WebhookUrlOutcome {
  return { outcome: 'rejected', message };
}
