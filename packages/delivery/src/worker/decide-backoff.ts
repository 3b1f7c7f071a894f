import type { SendResult } from '../send/send-result.ts';

/** The statuses with which a receiver, or a proxy in front of it, reports that it is overloaded (Standard Webhooks). */
const OVERLOADED = new Set([429, 502, 503, 504]);

/** The backoff if the response has no `Retry-After`, ms. */
const BACKOFF_MS = 5_000;
/** The longest backoff of a webhook, ms. */
const LONGEST_BACKOFF_MS = 60_000;

/**
 * Decides for how long a whole webhook backs off after an attempt, ms; 0: not at all. An overloaded receiver cannot
 * take any delivery of the webhook. After at most a minute the webhook sends other deliveries, up to the limit in
 * flight. This delivery waits for the whole `Retry-After`.
 */
export function decideBackoff(result: SendResult): number {
  if (!isOverloaded(result)) return 0;
  return Math.min(result.retryAfterMs ?? BACKOFF_MS, LONGEST_BACKOFF_MS);
}

/** Whether the receiver is overloaded. A response that was cut off does not count. */
export function isOverloaded({ status, error }: SendResult): boolean {
  return error === null && status !== null && OVERLOADED.has(status);
}
