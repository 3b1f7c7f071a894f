import type { DeliveryProgress } from '../decisions/end-of-attempt.ts';
import type { QueueState } from '../decisions/queue-state.ts';
import type { QueuedDelivery, Wait } from '../decisions/queued-delivery.ts';
import type { SortedEntries, SortedEntry } from '../engine/sorted-entries.ts';
import type { WebhookRecord } from '../webhook-store.ts';

/** An account with its webhooks and messages. */
export interface MemoryAccount {
  readonly name: string;
  readonly webhooks: Map<string, MemoryWebhook>;
  readonly messages: Map<string, MemoryMessage>;
  /** What was published with each idempotency key. */
  readonly published: Map<string, PublishedKey>;
  inFlight: number;
  /** Whether its webhooks wait for one of its attempts to end. */
  isCapped: boolean;
}

/** A webhook with its queue. */
export interface MemoryWebhook extends SortedEntry {
  readonly account: MemoryAccount;
  record: WebhookRecord;
  queue: QueueState;
  readonly bySequence: Map<number, MemoryDelivery>;
  /** All deliveries, the newest first. */
  readonly log: SortedEntries<MemoryDelivery>;
  /** The deliveries that wait for a retry: returned ones first, then by time. */
  readonly retries: SortedEntries<DeliveryEntry>;
  /** The deliveries that have failed, by the time of publishing. */
  readonly failed: SortedEntries<DeliveryEntry>;
  /** When it can start an attempt, ms: its sort key among the webhooks that can. */
  sortKey: number;
  readonly tieBreaker: number;
}

/** A message, once for all of its deliveries. */
export interface MemoryMessage extends SortedEntry {
  /** When it expires, ms. */
  readonly sortKey: number;
  readonly account: MemoryAccount;
  readonly messageId: string;
  readonly createdAtMs: number;
  body: string;
  readonly deliveryCount: number;
  /** By webhook, the deliveries that are not deleted. */
  readonly deliveries: Map<string, MemoryDelivery>;
}

/** An idempotency key. */
export interface PublishedKey extends SortedEntry {
  /** When it expires, ms. */
  readonly sortKey: number;
  readonly account: MemoryAccount;
  readonly key: string;
  readonly messageId: string;
  readonly deliveryCount: number;
}

/** The delivery of a message to a webhook. Its sort key in the log is its negative sequence. */
export interface MemoryDelivery extends Omit<QueuedDelivery, 'progress' | 'wait'>, SortedEntry {
  /** Grows in the order of publishing. */
  readonly tieBreaker: number;
  readonly webhook: MemoryWebhook;
  readonly message: MemoryMessage;
  progress: DeliveryProgress;
  wait: Wait | null;
  /** Its entry among the retries or the failed deliveries of its webhook, or among all leases. */
  entry: DeliveryEntry | null;
  /** Deletes it from the delivered deliveries; `null`: it is not one of them. */
  forgetDelivered: (() => void) | null;
}

/** A delivery, sorted by a time, ms. */
export interface DeliveryEntry extends SortedEntry {
  readonly sortKey: number;
  readonly delivery: MemoryDelivery;
}
