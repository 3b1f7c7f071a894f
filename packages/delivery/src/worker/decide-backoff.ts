import { isOverloaded } from '../send/is-overloaded.ts';
import type { SendResult } from '../send/send-result.ts';

/** Where the receiver does not say for how long, ms. */
const BACKOFF_MS = 5_000;
/** For how long a webhook is left alone at most, ms. */
const LONGEST_BACKOFF_MS = 60_000;

/**
 * Decides for how long nothing is sent to a webhook after an attempt, ms; 0: it is sent to as before. A receiver that
 * asks to be left alone means all that is sent to it, not a single event. Where it asks for longer than a minute, it is
 * asked again after that, by no more than may be in flight; the delivery that was answered so waits for as long as it
 * says.
 */
export function decideBackoff(result: SendResult): number {
  if (!isOverloaded(result)) return 0;
  return Math.min(result.retryAfterMs ?? BACKOFF_MS, LONGEST_BACKOFF_MS);
}
