import { type AttemptEnd, accountName } from '@latchhook/core/storage';
import { storableText } from '../../storable-text.ts';

/**
 * The end of an attempt as a row of `attempt_end`. Missing columns are null. The sequence of a delivery is the number
 * of its message.
 */
export function endRow(end: AttemptEnd): Readonly<Record<string, unknown>> {
  const { outcome, attempt, claimedAtMs } = end;
  const row = {
    account_id: accountName(end.accountId),
    webhook_id: storableText(end.webhookId),
    message: end.sequence,
    attempt,
    claimed_at_ms: claimedAtMs,
    created_at_ms: end.createdAtMs,
    kind: outcome.kind,
  };
  if (!('result' in end)) return row;
  const { status, durationMs, error } = end.result;
  return {
    delay_ms: 'delayMs' in outcome ? Math.ceil(outcome.delayMs) : null,
    reason: outcome.kind === 'failed' ? outcome.reason : null,
    backoff_ms: Math.ceil(end.backoffMs),
    // Appended to the attempts of the delivery: see `withAttempt`.
    line: [attempt, claimedAtMs, status, durationMs, error],
    // A delivery to an old URL still counts as delivered, so the function need not compare URLs.
    url: outcome.kind === 'delivered' ? null : end.url,
    ...row,
  };
}
