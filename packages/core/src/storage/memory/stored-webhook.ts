import type { DeliveryState } from '../delivery-record.ts';
import type { WebhookRecord } from '../webhook-store.ts';
import type { RankedSequence } from './ranked-sequence.ts';
import type { StartTimes } from './start-times.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { TimeHeap } from './time-heap.ts';

/** One webhook with all of its deliveries: what a transition reads and writes. */
export interface StoredWebhook {
  /** Replaced by each transition, never changed in place, so that what was answered stays as it was. */
  record: WebhookRecord;
  /** When the present series of failed attempts began; `null`: it is not failing. */
  failingSinceMs: number | null;
  /** The margin that the last publisher or sender came with. */
  rateMarginMs: number;
  readonly starts: StartTimes;
  /** Attempts in flight, by the ends of their leases. */
  readonly leases: TimeHeap<StoredDelivery>;
  /** All deliveries, in the order of publishing. */
  readonly log: RankedSequence<StoredDelivery>;
  lastSequence: number;
  /** Deliveries by state, in the order of publishing, for the states that are asked for so. */
  readonly lines: {
    readonly [State in DeliveryState]?: RankedSequence<StoredDelivery>;
  } & Readonly<Record<'queued' | 'held' | 'dead', RankedSequence<StoredDelivery>>>;
  /** Waiting deliveries that only rate or room keep from starting, in the order in which they began to wait for it. */
  readonly retries: RankedSequence<StoredDelivery>;
  lastRetryPlace: number;
  /** Whether the attempt that started last was a retry. */
  wasRetryLast: boolean;
  /** Deliveries of both lines that are parked until there is room among the attempts in flight. */
  readonly parked: {
    readonly queued: RankedSequence<StoredDelivery>;
    readonly waiting: RankedSequence<StoredDelivery>;
  };
}
