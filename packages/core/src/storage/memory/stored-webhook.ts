import type { DeliveryState } from '../delivery-record.ts';
import type { WebhookRecord } from '../webhook-store.ts';
import type { InFlight } from './delivery-indexes.ts';
import type { RankedSequence } from './ranked-sequence.ts';
import type { StartTimes } from './start-times.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { TimeHeap } from './time-heap.ts';

type Deliveries = RankedSequence<StoredDelivery>;

/** In the order of publishing. Of the other states there is no entry, as nobody asks for their deliveries. */
interface DeliveriesByState extends Readonly<Partial<Record<DeliveryState, Deliveries>>> {
  readonly queued: Deliveries;
  readonly held: Deliveries;
  readonly dead: Deliveries;
}

/** One webhook with all of its deliveries: what a transition reads and writes. */
export interface StoredWebhook {
  /** Replaced by each transition, never changed in place, so that what was answered stays as it was. */
  record: WebhookRecord;
  /** When the present series of failed attempts began; `null`: it is not failing. */
  failingSinceMs: number | null;
  /** The margin that the last publisher or sender came with. */
  rateMarginMs: number;
  readonly starts: StartTimes;
  /** The end of its last pause, by the steady clock: no attempt starts before it. */
  pausedUntilMs: number;
  /** Attempts in flight, by the ends of their leases. */
  readonly leases: TimeHeap<InFlight>;
  /** All deliveries, in the order of publishing. */
  readonly log: Deliveries;
  lastSequence: number;
  readonly byState: DeliveriesByState;
  /** Waiting deliveries that only rate or room keep from starting, in the order in which they began to wait for it. */
  readonly retries: Deliveries;
  lastRetrySequence: number;
  /** Whether the attempt that started last was a retry. */
  wasRetryLast: boolean;
  /** Deliveries of both lines that are parked until there is room among the attempts in flight. */
  readonly parked: {
    readonly queued: Deliveries;
    readonly waiting: Deliveries;
  };
}
