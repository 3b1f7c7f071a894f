import type { DeliveryProgress } from '../../decisions/end-of-attempt.ts';
import { signingSecrets } from '../../decisions/webhook-changes.ts';
import type { DeliveryRef } from '../../delivery-record.ts';
import type { ClaimedAttempt } from '../../delivery-store.ts';
import type { WebhookRecord } from '../../webhook-store.ts';
import { keyOf, placeOf } from '../engine-calls.ts';
import type { RangeRequest, Row } from '../storage-engine.ts';

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
  /** `atMs` is `null` for a returned delivery, which was claimed and not started; it comes before all others. */
  | { readonly for: 'retry'; readonly atMs: number | null }
  | { readonly for: 'end_of_attempt'; readonly lease: Lease };

/** The delivery of one message to one webhook. Replaced as a whole, never changed in place. */
export interface StoredDelivery extends DeliveryRef {
  readonly queueId: string;
  readonly event: string;
  readonly sequence: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly progress: DeliveryProgress;
  readonly wait: Wait | null;
}

/** A delivery with an attempt in flight. */
export type LeasedDelivery = StoredDelivery & {
  readonly wait: { readonly for: 'end_of_attempt'; readonly lease: Lease };
};

/** Picks the ids by name: a delivery has more fields. */
export function refOf({ accountId, webhookId, deliveryId }: DeliveryRef): DeliveryRef {
  return { accountId, webhookId, deliveryId };
}

export function isLeased(delivery: StoredDelivery): delivery is LeasedDelivery {
  return delivery.wait?.for === 'end_of_attempt';
}

/** A delivery that was just leased, as it is returned by a claim. */
export function claimedAttempt(
  delivery: Omit<StoredDelivery, 'queueId'>,
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

/** Whether a delivery waits for the time of its retry. */
export function isAwaitingRetry({ wait }: Pick<StoredDelivery, 'wait'>, nowMs: number): boolean {
  return wait?.for === 'retry' && wait.atMs !== null && wait.atMs > nowMs;
}

/** The indexes of deliveries whose places begin with the queue. */
export type QueueIndex = 'log' | 'fresh' | 'retry' | 'failed';

/**
 * The key of a delivery. It contains the time of publishing, because an expired message may be published again with the
 * same id.
 */
export function deliveryKey({
  queueId,
  deliveryId,
  createdAtMs,
}: Pick<StoredDelivery, 'queueId' | 'deliveryId' | 'createdAtMs'>): string {
  return keyOf('delivery', queueId, deliveryId, String(createdAtMs));
}

export function deliveryRow(delivery: StoredDelivery): Row {
  const { queueId, sequence, expiresAtMs, wait } = delivery;
  return {
    key: deliveryKey(delivery),
    value: delivery,
    indexes: { log: `${queueId}:${newestFirst(sequence)}`, ...indexOf(delivery) },
    // A delivery in flight counts until its lease ends, so the engine must not delete it before.
    expiresAtMs: wait?.for === 'end_of_attempt' ? null : expiresAtMs,
  };
}

function indexOf({ queueId, sequence, createdAtMs, progress, wait }: StoredDelivery) {
  const order = placeOf(sequence);
  switch (wait?.for) {
    case 'first_try':
      return { fresh: `${queueId}:${order}` };
    case 'retry':
      // A hyphen sorts before all digits.
      return { retry: `${queueId}:${wait.atMs === null ? '-' : placeOf(wait.atMs)}:${order}` };
    case 'end_of_attempt':
      return { lease: placeOf(wait.lease.endsAtMs) };
    default:
      if (progress.state !== 'failed') return {};
      return { failed: `${queueId}:${placeOf(createdAtMs)}:${order}` };
  }
}

/** The range of one queue in an index. */
export function rangeOf(queueId: string, limit: number, from = ''): RangeRequest {
  // Letters sort after all digits.
  return { from: `${queueId}:${from}`, before: `${queueId}:A`, limit };
}

/** A place that sorts the highest sequence first. */
export function newestFirst(sequence: number): string {
  return placeOf(Number.MAX_SAFE_INTEGER - sequence);
}
