import type { CallBoundary } from '../faults/call-boundary.ts';
import type { SealedKind } from '../keys/key-control.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import { boundedDeliveries, boundedWebhooks } from '../storage/bounded-storage.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import type { WebhookStores } from '../storage/storage.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import { createBacklog } from './backlog.ts';
import { createEvents } from './create-events.ts';
import { type DeliveryContextDeps, deliveryContext } from './delivery-context.ts';
import type { DeliveryEngine } from './delivery-engine.ts';
import { createDeliveryThrottle } from './delivery-throttle.ts';
import type { Events } from './events.ts';
import { createHandOver } from './hand-over.ts';
import { createPublishMessage } from './publish-message.ts';
import { createSecretBox } from './secret-box.ts';
import type { StandardSchema } from './standard-schema.ts';
import { createWebhookDeliveries, type WebhookDeliveries } from './webhook-deliveries.ts';
import { createWebhookRegistry, type WebhookRegistry } from './webhook-registry.ts';

/** The parts of webhooks: for the routes, for the host that publishes, for resealing, and for shutting down. */
export interface Webhooks {
  readonly registry: WebhookRegistry;
  readonly deliveries: WebhookDeliveries;
  readonly events: Events;
  readonly secrets: SealedKind<WebhookRef>;
  close(): Promise<void>;
}

export interface WebhooksDeps extends Omit<DeliveryContextDeps, 'deliveries' | 'box'> {
  readonly stores: WebhookStores;
  /** For calls of the stores that a request waits for. */
  readonly callStorage: CallBoundary;
  readonly limiters: LimiterFactory;
  /** Seals the signing secrets for the store. */
  readonly encryption: SecretRing;
  readonly engine: DeliveryEngine;
  /** For calls of the engine. */
  readonly callEngine: CallBoundary;
  /** By name of the event. */
  readonly schemas: ReadonlyMap<string, StandardSchema>;
}

/** Wires up the parts of webhooks, and connects the engine. */
export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const { stores, callStorage, engine, callEngine, schemas, policy, clock, emit } = deps;
  const box = createSecretBox(deps.encryption);
  const webhooks = boundedWebhooks(stores.webhooks, callStorage);
  const deliveries = boundedDeliveries(stores.deliveries, callStorage);
  const queue = engine.connect(
    deliveryContext({ deliveries: stores.deliveries, box, policy, clock, emit }),
  );
  const handOver = createHandOver(queue, callEngine);
  const throttle = createDeliveryThrottle(deps.limiters);
  const backlog = createBacklog({
    deliveries,
    queue,
    callEngine,
    handOver,
    policy,
    clock,
    emit,
  });
  const publishMessage = createPublishMessage({
    deliveries,
    handOver,
    backlog,
    policy,
    clock,
    emit,
  });

  return {
    registry: createWebhookRegistry({ webhooks, backlog, throttle, box, policy, emit }),
    deliveries: createWebhookDeliveries({
      deliveries,
      publishMessage,
      throttle,
      handOver,
    }),
    events: createEvents({ publishMessage, schemas }),
    secrets: { store: webhooks, box },
    async close() {
      await backlog.close();
      await queue.close();
    },
  };
}
