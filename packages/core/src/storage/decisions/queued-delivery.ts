import type { DeliveryRef, DeliveryState, ListedDelivery } from '../delivery-record.ts';
import type { ClaimedAttempt } from '../delivery-store.ts';
import type { WebhookRecord } from '../webhook-store.ts';
import type { DeliveryProgress } from './end-of-attempt.ts';
import { signingSecrets } from './webhook-changes.ts';

/** A claimed attempt. */
export interface Lease {
  readonly attempt: number;
  readonly claimedAtMs: number;
  readonly leaseMs: number;
  readonly endsAtMs: number;
}

/** What a delivery waits for. */
export type Wait =
  | { readonly for: 'first_try' }
  /**
   * `atMs` is `null` for a returned delivery: it was claimed and not started, or its lease has expired. Returned
   * deliveries come before all others.
   */
  | { readonly for: 'retry'; readonly atMs: number | null }
  | { readonly for: 'end_of_attempt'; readonly lease: Lease };

/** The part of a delivery that a list shows. */
export interface ListableDelivery extends DeliveryRef {
  readonly event: string;
  readonly sequence: number;
  readonly createdAtMs: number;
  readonly progress: Pick<DeliveryProgress, 'state' | 'reason' | 'attempt' | 'attempts'>;
  readonly wait:
    | { readonly for: 'first_try' | 'end_of_attempt' }
    | { readonly for: 'retry'; readonly atMs: number | null }
    | null;
}

/** The delivery of one message to one webhook. `wait` is `null` once it has ended. */
export interface QueuedDelivery extends ListableDelivery {
  readonly expiresAtMs: number;
  readonly progress: DeliveryProgress;
  readonly wait: Wait | null;
}

/** Picks the ids by name: a delivery has more fields. */
export function refOf({ accountId, webhookId, deliveryId }: DeliveryRef): DeliveryRef {
  return { accountId, webhookId, deliveryId };
}

/** A delivery that was just leased, as it is returned by a claim. */
export function claimedAttempt(
  delivery: QueuedDelivery,
  { attempt, claimedAtMs }: Lease,
  {
    body,
    webhook: { url, secrets },
    nowMs,
  }: { readonly body: string; readonly webhook: WebhookRecord; readonly nowMs: number },
): ClaimedAttempt {
  const { accountId, webhookId, deliveryId, sequence, createdAtMs, expiresAtMs, event } = delivery;
  const { failures, notCounted } = delivery.progress;
  return {
    accountId,
    webhookId,
    deliveryId,
    attempt,
    sequence,
    claimedAtMs,
    createdAtMs,
    expiresAtMs,
    event,
    failures,
    notCounted,
    body,
    webhook: { url, secrets: signingSecrets(secrets, nowMs) },
  };
}

/** Whether a delivery waits for a retry that is not due yet. */
export function isAwaitingRetry({ wait }: Pick<QueuedDelivery, 'wait'>, nowMs: number): boolean {
  return wait?.for === 'retry' && wait.atMs !== null && wait.atMs > nowMs;
}

/** A delivery as it is listed. `isDisabled`: whether its webhook is. */
export function listedDelivery(delivery: ListableDelivery, isDisabled: boolean): ListedDelivery {
  const { accountId, webhookId, deliveryId, event, sequence, createdAtMs, progress } = delivery;
  const state = stateOf(delivery, isDisabled);
  const atMs = delivery.wait?.for === 'retry' ? delivery.wait.atMs : null;
  return {
    accountId,
    webhookId,
    deliveryId,
    event,
    sequence,
    state,
    createdAtMs,
    deadReason: progress.reason,
    nextAttemptAtMs: state === 'waiting' ? atMs : null,
    attempts: [...progress.attempts],
  };
}

function stateOf({ progress, wait }: ListableDelivery, isDisabled: boolean): DeliveryState {
  if (progress.state === 'delivered') return 'delivered';
  if (progress.state === 'failed') return 'dead';
  if (wait?.for === 'end_of_attempt') return 'sending';
  if (isDisabled) return 'held';
  return progress.attempt === 0 ? 'queued' : 'waiting';
}
