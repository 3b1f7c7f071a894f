import type { SendResult } from '../send/send-result.ts';

/** Answers by which a receiver, or what stands before it, says that all is too much (Standard Webhooks). */
const OVERLOADED = new Set([429, 502, 503, 504]);
/** Where it does not say for how long, ms. */
const PAUSE_MS = 5_000;
/** The longest pause, ms: after that it is asked again, by no more than may be in flight. */
const MAX_PAUSE_MS = 3_600_000;

/**
 * Decides for how long nothing is sent to a webhook after an attempt, ms; 0: it is sent to as before. A receiver that
 * asks to be left alone means all that is sent to it, not a single event.
 */
export function decidePause({ status, error, retryAfterMs }: SendResult): number {
  if (error !== null || status === null || !OVERLOADED.has(status)) return 0;
  return Math.min(retryAfterMs ?? PAUSE_MS, MAX_PAUSE_MS);
}
