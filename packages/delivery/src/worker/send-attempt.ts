import type { DeliveryContext } from '@latchhook/core/delivery';
import type { AttemptEnd, ClaimedAttempt } from '@latchhook/core/storage';
import { decidePause } from '../runs/decide-pause.ts';
import type { SendResult } from '../send/send-result.ts';
import type { Sender } from '../send/sender.ts';
import { decideOutcome } from './decide-outcome.ts';

export interface SendAttemptDeps {
  readonly sender: Pick<Sender, 'send'>;
  readonly context: Pick<DeliveryContext, 'openSecrets' | 'emit'>;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/**
 * Sends a claimed attempt, and decides what became of it. Never rejects.
 *
 * @param mayBegin - as {@link SendRequest.mayBegin}
 */
export async function sendAttempt(
  deps: SendAttemptDeps,
  attempt: ClaimedAttempt,
  mayBegin: (connectingMs: number) => boolean,
): Promise<AttemptEnd> {
  const sent = await send(deps, attempt, mayBegin).catch(failedHere);
  const { accountId, webhookId, deliveryId, sequence, claimedAtMs } = attempt;
  const { createdAtMs, expiresAtMs } = attempt;
  const ref = {
    ...{ accountId, webhookId, deliveryId, attempt: attempt.attempt },
    ...{ sequence, claimedAtMs, createdAtMs, expiresAtMs },
  };
  if (sent === 'too_late') return { ...ref, outcome: { kind: 'not_started' } };
  const { emit } = deps.context;
  if (sent.fault !== undefined) emit({ type: 'fault', where: 'delivery', error: sent.fault });
  const outcome = decideOutcome(sent, attempt, deps.random);
  return { ...ref, result: sent, outcome, backoffMs: decidePause(sent) };
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
    secrets: context.openSecrets(attempt, attempt.webhook.secrets),
    timestampMs: attempt.claimedAtMs,
    mayBegin,
  });
}

/** A missing key, or a bug of ours: it must not cost the receiver one of its tries. */
function failedHere(fault: unknown): SendResult {
  const nothing = { status: null, durationMs: 0, response: null, retryAfterMs: null };
  return { ...nothing, error: 'sender_failed', fault };
}
