import { parseWebhookUrl, type WebhookUrlRules } from '@latchhook/core/delivery';
import type { SendError } from './send-result.ts';

/** Where a request goes. */
export interface Target {
  readonly url: URL;
  readonly origin: string;
  /** With the query. */
  readonly path: string;
}

/** How many URLs are remembered; when there are more, all are forgotten and parsed once more. */
const URLS_KEPT = 1_000;

/**
 * Makes a parser for the URLs of webhooks. It checks each again at its first attempt in this process, as it may have
 * been stored under other rules. Checked here as well as at connect, since with a proxy we never connect to
 * the receiver.
 */
export function targetReader(rules: WebhookUrlRules): (url: string) => Target | SendError {
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

function readTarget(text: string, rules: WebhookUrlRules): Target | SendError {
  const parsed = parseWebhookUrl(text, rules);
  if (parsed.outcome !== 'accepted')
    return parsed.reason === 'private_address' ? 'address_refused' : 'url_refused';
  const { url } = parsed;
  return { url, origin: url.origin, path: url.pathname + url.search };
}
