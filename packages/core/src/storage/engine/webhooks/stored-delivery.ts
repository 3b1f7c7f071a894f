import type { Lease, QueuedDelivery } from '../../decisions/queued-delivery.ts';
import { keyOf, sortKeyOf } from '../engine-calls.ts';
import type { RangeRequest, Row } from '../storage-engine.ts';

/** A delivery of a queue. Replaced as a whole, never changed in place. */
export interface StoredDelivery extends QueuedDelivery {
  readonly queueId: string;
}

/** A delivery with an attempt in flight. */
export type LeasedDelivery = StoredDelivery & {
  readonly wait: { readonly for: 'end_of_attempt'; readonly lease: Lease };
};

export function isLeased(delivery: StoredDelivery): delivery is LeasedDelivery {
  return delivery.wait?.for === 'end_of_attempt';
}

/** The indexes of deliveries whose sort keys begin with the queue. */
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
  const order = sortKeyOf(sequence);
  switch (wait?.for) {
    case 'first_try':
      return { fresh: `${queueId}:${order}` };
    case 'retry':
      // A hyphen sorts before all digits.
      return { retry: `${queueId}:${wait.atMs === null ? '-' : sortKeyOf(wait.atMs)}:${order}` };
    case 'end_of_attempt':
      return { lease: sortKeyOf(wait.lease.endsAtMs) };
    default:
      if (progress.state !== 'failed') return {};
      return { failed: `${queueId}:${sortKeyOf(createdAtMs)}:${order}` };
  }
}

/** The range of one queue in an index. */
export function rangeOf(queueId: string, limit: number, from = ''): RangeRequest {
  // Letters sort after all digits.
  return { from: `${queueId}:${from}`, before: `${queueId}:A`, limit };
}

/** A sort key that sorts the highest sequence first. */
export function newestFirst(sequence: number): string {
  return sortKeyOf(Number.MAX_SAFE_INTEGER - sequence);
}
