import type { Claim, ClaimedAttempt } from '@latchhook/core/storage';
import type { FunctionResult } from '../../function-result.ts';
import { storedText } from '../../storable-text.ts';
import { parseDeliveryRef, parseTarget, parseWebhookRef } from '../../webhook-record.ts';

/** Parses the result of `claim_attempts`. */
export function parseClaim(result: FunctionResult): Claim {
  result.expectOutcome('claimed');
  const nowMs = result.integer('nowMs');
  const expired = result.list('expired').map(parseDeliveryRef);
  return {
    attempts: result.list('webhooks').flatMap((webhook) => parseAttempts(webhook, nowMs)),
    poisoned: result.list('poisoned').map(parseDeliveryRef),
    ...(expired.length > 0 && { expired }),
    nextInMs: result.integerOrNull('nextInMs'),
  };
}

function parseAttempts(result: FunctionResult, nowMs: number): readonly ClaimedAttempt[] {
  const ref = parseWebhookRef(result);
  const webhook = parseTarget(result);
  return result.list('attempts').map((attempt) => ({
    deliveryId: storedText(attempt.text('deliveryId')),
    attempt: attempt.integer('attempt'),
    sequence: attempt.integer('sequence'),
    claimedAtMs: nowMs,
    createdAtMs: attempt.integer('createdAtMs'),
    expiresAtMs: attempt.integer('expiresAtMs'),
    event: storedText(attempt.text('event')),
    failures: attempt.integer('failures'),
    notCounted: attempt.integer('notCounted'),
    body: attempt.text('body'),
    webhook,
    ...ref,
  }));
}
