import type { DeliveryContext } from '@latchhook/core/delivery';
import type { AttemptEnd, ClaimedAttempt } from '@latchhook/core/storage';
import type { SendResult } from '../send/send-result.ts';
import { decideBackoff } from './decide-backoff.ts';
import { decideOutcome } from './decide-outcome.ts';
import type { LazySender } from './lazy-sender.ts';

export interface SendAttemptDeps {
  readonly sender: Pick<LazySender, 'send'>;
  readonly context: Pick<DeliveryContext, 'decryptSecrets' | 'emit'>;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/**
 * Sends a claimed attempt, and decides its outcome. Never rejects.
 *
 * @param mayBegin - see {@link SendRequest.mayBegin}
 */
export async function sendAttempt(
  deps: SendAttemptDeps,
  attempt: ClaimedAttempt,
  mayBegin: (connectingMs: number) => boolean,
): Promise<AttemptEnd> {
  const result = await send(deps, attempt, mayBegin).catch(toSenderFailure);
  if (result === 'too_late') return notStarted(attempt);
  const { emit } = deps.context;
  if (result.fault !== undefined) emit({ type: 'fault', where: 'delivery', error: result.fault });
  const outcome = decideOutcome(result, attempt, deps.random);
  const backoffMs = decideBackoff(result);
  // The spread comes last because V8 is slow to add properties after one.
  return { result, outcome, backoffMs, url: attempt.webhook.url, ...claimFieldsOf(attempt) };
}

/** The end of an attempt that was not started: nothing was sent. */
export function notStarted(attempt: ClaimedAttempt): AttemptEnd {
  return { outcome: { kind: 'not_started' }, ...claimFieldsOf(attempt) };
}

/** The fields of a claimed attempt that its end repeats. */
function claimFieldsOf(attempt: ClaimedAttempt) {
  return {
    accountId: attempt.accountId,
    webhookId: attempt.webhookId,
    deliveryId: attempt.deliveryId,
    attempt: attempt.attempt,
    sequence: attempt.sequence,
    claimedAtMs: attempt.claimedAtMs,
    createdAtMs: attempt.createdAtMs,
    expiresAtMs: attempt.expiresAtMs,
    event: attempt.event,
  };
}

async function send(
  { sender, context }: SendAttemptDeps,
  attempt: ClaimedAttempt,
  mayBegin: (connectingMs: number) => boolean,
) {
  return sender.send({
    accountId: attempt.accountId,
    url: attempt.webhook.url,
    deliveryId: attempt.deliveryId,
    body: attempt.body,
    secrets: context.decryptSecrets(attempt, attempt.webhook.secrets),
    timestampMs: attempt.claimedAtMs,
    mayBegin,
  });
}

/** A missing key or a bug in Latchhook must not count as a failure of the receiver. */
function toSenderFailure(fault: unknown): SendResult {
  const nothing = { status: null, durationMs: 0, retryAfterMs: null };
  return { ...nothing, error: 'sender_failed', fault };
}
