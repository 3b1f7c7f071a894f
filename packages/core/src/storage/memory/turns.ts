import type { StoredDelivery } from './stored-delivery.ts';
import type { StoredWebhook } from './stored-webhook.ts';

/**
 * How many deliveries are before one that waits, or is about to, as the lines of first tries and retries take turns.
 */
export function rankOf({ webhook, state, sequence, retrySequence }: StoredDelivery): number {
  const { byState, retries, wasRetryLast } = webhook;
  if (state === 'queued') {
    const place = byState.queued.rank(sequence);
    return place + Math.min(retries.size, place + (wasRetryLast ? 0 : 1));
  }
  const place = retrySequence === undefined ? retries.size : retries.rank(retrySequence);
  return place + Math.min(byState.queued.size, place + (wasRetryLast ? 1 : 0));
}

/** The delivery of rank 0. */
export function whoseTurn({
  byState,
  retries,
  wasRetryLast,
}: StoredWebhook): StoredDelivery | undefined {
  const [firstTry, retry] = [byState.queued.at(0), retries.at(0)];
  return wasRetryLast ? (firstTry ?? retry) : (retry ?? firstTry);
}
