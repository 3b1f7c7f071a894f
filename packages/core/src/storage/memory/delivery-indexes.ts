import type { Line } from './line.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { Timed, TimeHeap } from './time-heap.ts';

/** When a delivery is due. */
export interface DueTime extends Timed {
  readonly delivery: StoredDelivery;
}

/** An attempt in flight. Timed by the end of its lease. */
export interface InFlight extends Timed {
  readonly delivery: StoredDelivery;
  readonly startedAtMs: number;
  /** The same by the monotonic clock, which the rate goes by. */
  readonly startedSteadyMs: number;
  /** Whether it is among the leases of its webhook, and counts as in flight. */
  isCounted: boolean;
}

/** Indexes over the deliveries of all webhooks. */
export interface DeliveryIndexes {
  /** Every delivery that is queued, sending or waiting. */
  readonly due: TimeHeap<DueTime>;
  /** Every delivery that is delivered, in the order in which they were. */
  readonly delivered: Line<StoredDelivery>;
}
