import { parseWebhookUrl, type WebhookUrlRules } from '@latchhook/core/delivery';
import type { SendError } from './send-result.ts';

/** The parsed URL of a request. */
export interface Target {
  readonly url: URL;
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
}

/** How many parsed URLs are cached. When the cache is full, it is cleared. */
const MAX_CACHED = 1_000;

/**
 * Creates a parser for the URLs of webhooks, which checks each URL at its first attempt in this process because it may
 * have been stored under other rules. The connector checks addresses too, but with a proxy we never connect to the
 * receiver.
 */
export function targetReader(rules: WebhookUrlRules): (url: string) => Target | SendError {
  // Parsing a URL costs more than a look-up.
  const cache = new Map<string, Target | SendError>();

  return (url) => {
    const cached = cache.get(url);
    if (cached !== undefined) return cached;
    const target = readTarget(url, rules);
    if (cache.size === MAX_CACHED) cache.clear();
    cache.set(url, target);
    return target;
  };
}

function readTarget(text: string, rules: WebhookUrlRules): Target | SendError {
  const parsed = parseWebhookUrl(text, rules);
  if (parsed.outcome !== 'accepted')
    return parsed.reason === 'private_address' ? 'address_rejected' : 'url_rejected';
  const { url } = parsed;
  return { url, origin: url.origin, path: url.pathname + url.search };
}
