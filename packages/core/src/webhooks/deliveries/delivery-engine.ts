import type { Awaitable } from '../../awaitable.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import type { ScheduledDelivery } from '../../storage/delivery-outcomes.ts';
import type { DeliveryStore } from '../../storage/delivery-store.ts';
import type { SealedSecret, WebhookRef } from '../../storage/webhook-store.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';

/** What an engine needs of the app that it sends for. */
export interface DeliveryContext {
  /** Bounded: a call that fails rejects with `temporarily_unavailable`, and its fault has been emitted. */
  readonly deliveries: DeliveryStore;
  /**
   * The signing secrets of a webhook in the clear, newest first. Opened ones are remembered, so it may be called at
   * every attempt.
   *
   * @throws {AuthError} `server_error` where none of the keys opens one for this webhook
   */
  openSecrets(ref: WebhookRef, secrets: readonly SealedSecret[]): readonly Uint8Array[];
  readonly policy: DeliveryPolicy;
  readonly clock: Clock;
  /** Passes the same fault on only once a minute: an outage fails every attempt, again and again. */
  readonly emit: (event: SecurityEvent) => void;
}

/** An engine at work. */
export interface DeliveryQueue {
  /**
   * Takes deliveries over: each is started when its delay has passed, by this process or another.
   *
   * Atomicity: one by one. If it rejects, some may have been taken; the others are late, and found by a sweep. Once it
   * resolves, the deliveries survive whatever the engine survives. Idempotency: the same run is taken once.
   */
  enqueue(deliveries: readonly ScheduledDelivery[]): Awaitable<void>;
  /** Changes the delays of deliveries that wait, in this process or another. The store already has the new times. */
  reschedule(deliveries: readonly ScheduledDelivery[]): Promise<void>;
  /**
   * Begins no more attempts, waits for those in flight or about to begin, and releases everything. Can be called twice.
   */
  close(): Promise<void>;
}

/**
 * What carries deliveries to their receivers: remembers when each is to start, and sends it. Made by
 * `@latchhook/delivery`. Whether an attempt may start, the {@link DeliveryStore} decides.
 */
export interface DeliveryEngine {
  /** For warnings: `bullmq`, `in-process` ... */
  readonly name: string;
  /** Whether what it was handed survives the end of this process. */
  readonly durable: boolean;
  /** Whether it sends from this process; if not, it hands over what is published, and others send. */
  readonly sends: boolean;
  /** Called once, by `createAuth` or `createDeliveryWorker`. */
  connect(context: DeliveryContext): DeliveryQueue;
}
