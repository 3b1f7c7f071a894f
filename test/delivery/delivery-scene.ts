import { randomBytes, randomUUID } from 'node:crypto';
import { type Clock, memoryStorage, type SecurityEvent, systemClock } from '@latchhook/core';
import {
  createDeliveryContext,
  type DeliveryContext,
  type DeliveryEngine,
  type DeliveryPolicy,
  type DeliveryQueue,
} from '@latchhook/core/delivery';
import {
  type DeliveryStore,
  mapMethods,
  STORE_METHODS,
  type WebhookChange,
  type WebhookRef,
  type WebhookStore,
} from '@latchhook/core/storage';
import { type BullmqDeliveryOptions, bullmqDelivery } from '@latchhook/delivery';
import { Queue } from 'bullmq';
import { inject, onTestFinished } from 'vitest';
import { connect } from '../support/storage/connect-redis.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

/** One app in memory, to which any number of engines are connected. */
export interface DeliveryScene {
  readonly deliveries: DeliveryStore;
  readonly webhooks: WebhookStore;
  readonly events: SecurityEvent[];
  readonly context: DeliveryContext;
  /** Connects an engine, for the length of the test. */
  start(engine: DeliveryEngine): DeliveryQueue;
  register(url: string, fields?: WebhookChange): Promise<WebhookRef>;
  /** Stores an event for one webhook and hands it to the engine; answers its id. */
  publish(queue: Pick<DeliveryQueue, 'enqueue'>, ref: WebhookRef): Promise<string>;
  /** Publishes `count` events at once. */
  publishMany(queue: Pick<DeliveryQueue, 'enqueue'>, ref: WebhookRef, count: number): Promise<void>;
}

const HOUR_MS = 3_600_000;
const SECRET = Buffer.alloc(32, 7);

export function deliveryScene(
  policy: Partial<DeliveryPolicy> = {},
  clock: Clock = systemClock,
): DeliveryScene {
  const { deliveries, webhooks } = memoryStorage({ clock });
  const events: SecurityEvent[] = [];
  const context: DeliveryContext = {
    deliveries,
    openSecrets: () => [SECRET],
    policy: { ...defaultPolicy, ...policy },
    clock,
    emit: emitTo(events, clock),
  };
  const scene: DeliveryScene = {
    deliveries,
    webhooks,
    events,
    context,
    start(engine) {
      const queue = engine.connect(context);
      onTestFinished(() => queue.close());
      return queue;
    },
    async register(url, fields = {}) {
      const ref = { accountId: 1, webhookId: `wh_${randomUUID()}` };
      await webhooks.create(
        {
          ...ref,
          event: 'Contact.Added',
          url,
          rateLimit: 10_000,
          rateLimitPeriod: 'second',
          sealedSecret: 'sealed',
          ...fields,
        },
        { maxPerAccount: 100 },
      );
      return ref;
    },
    async publish(queue, { accountId, webhookId }) {
      const messageId = `msg_${randomUUID()}`;
      const { retentionMs, idempotencyMs, maxQueuedPerWebhook, rateMarginMs } = context.policy;
      const published = await deliveries.publish({
        accountId,
        webhookId,
        messageId,
        event: 'Contact.Added',
        body: JSON.stringify({ id: messageId }),
        idempotencyKey: null,
        idempotencyMs,
        retentionMs,
        maxQueued: maxQueuedPerWebhook,
        rateMarginMs,
      });
      if (published.outcome !== 'published') throw new Error(published.outcome);
      await queue.enqueue(published.scheduled);
      return messageId;
    },
    async publishMany(queue, ref, count) {
      await Promise.all(Array.from({ length: count }, () => scene.publish(queue, ref)));
    },
  };
  return scene;
}

/** Emits as the context of an app does: the same fault once a minute. */
function emitTo(events: SecurityEvent[], clock: Clock): DeliveryContext['emit'] {
  const { emit } = createDeliveryContext({
    storage: memoryStorage(),
    keys: { encryption: [randomBytes(32)] },
    webhooks: { delivery: bullmqDelivery({ connection: {} }) },
    clock,
    onSecurityEvent: (event) => void events.push(event),
  });
  return emit;
}

/** A queue for this test only, on the Redis of the run. */
export function uniqueQueue(): { queueName: string } {
  return { queueName: `test-${randomUUID()}` };
}

/** An engine that sweeps only in tests about that. */
export function bullmqOn(
  queue: { queueName: string },
  options: Partial<BullmqDeliveryOptions> = {},
  url: string = inject('redisUrl'),
): DeliveryEngine {
  return bullmqDelivery({
    connection: connect(url),
    deadlineMs: PATIENT_MS,
    sweep: { intervalMs: HOUR_MS, graceMs: HOUR_MS },
    ...queue,
    ...options,
  });
}

/** An engine that only publishes, so that everything goes through the queue. */
export function publisherOf(
  scene: DeliveryScene,
  name: { queueName: string },
  url?: string,
): DeliveryQueue {
  return scene.start(bullmqOn(name, { work: false }, url));
}

const defaultPolicy: DeliveryPolicy = {
  maxWebhooksPerAccount: 100,
  retentionMs: 30 * 86_400_000,
  idempotencyMs: 86_400_000,
  maxQueuedPerWebhook: 100_000,
  maxInFlightPerWebhook: 1_000,
  disableAfterMs: 5 * 86_400_000,
  secretOverlapMs: 86_400_000,
  leaseMs: 20_000,
  maxLostAttempts: 5,
  rateMarginMs: 25,
  allowHttp: true,
  allowPrivateAddresses: true,
  allowedPorts: 'any',
};

/** The queue as a dashboard sees it. */
export function dashboard(
  { queueName }: { queueName: string },
  prefix: string = '{latchhook}',
): Queue {
  const redis = connect(inject('redisUrl'), { maxRetriesPerRequest: null });
  const queue = new Queue(queueName, { connection: redis, prefix });
  onTestFinished(() => queue.close());
  return queue;
}

/** The store as an object that can be spread. */
export function methodsOf(deliveries: DeliveryStore): DeliveryStore {
  return mapMethods(deliveries, STORE_METHODS.deliveries, (call) => call());
}
