import type { DeliveryState } from '../delivery-store.ts';
import type { WebhookRecord } from '../webhook-store.ts';
import type { RankedSequence } from './ranked-sequence.ts';
import type { StartTimes } from './start-times.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { TimeHeap } from './time-heap.ts';

/** One webhook with all that is on its way to it: what a transition reads and writes. */
export interface StoredWebhook {
  /** Replaced by each transition, never changed in place, so that what was answered stays as it was. */
  record: WebhookRecord;
  /** When the first of its newest attempts failed, of which none came through. */
  failingSinceMs: number | null;
  /** As whoever last published or sent had it. */
  rateMarginMs: number;
  readonly starts: StartTimes;
  /** Attempts under way, by the ends of their leases. */
  readonly leases: TimeHeap<StoredDelivery>;
  /** All of them, in the order of publishing. */
  readonly log: RankedSequence<StoredDelivery>;
  lastSequence: number;
  /** Those in a state that somebody asks for in the order of publishing. */
  readonly lines: {
    readonly [State in DeliveryState]?: RankedSequence<StoredDelivery>;
  } & Readonly<Record<'queued' | 'held' | 'dead', RankedSequence<StoredDelivery>>>;
  /** Of the waiting ones, those that only rate or room keep waiting, in the order in which they began to. */
  readonly retries: RankedSequence<StoredDelivery>;
  lastRetryPlace: number;
  /** Whether the last that started was no first try. */
  wasRetryLast: boolean;
  /** Those of both lines that sleep until there is room among the attempts under way. */
  readonly crowd: {
    readonly queued: RankedSequence<StoredDelivery>;
    readonly waiting: RankedSequence<StoredDelivery>;
  };
}
